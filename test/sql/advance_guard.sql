-- The plan guard: in which plans is a record that was handed up a record that was stored?
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

CALL api.collection('items', 1, 6);
CALL api.collection('others', 1, 3);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=2', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE others (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/others', params 'limit=2', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int, name text);
CREATE TABLE log (id int, name text);
CREATE TABLE dim (id int PRIMARY KEY, name text);
INSERT INTO dim SELECT i, 'dim ' || i FROM generate_series(1, 4) i;
ANALYZE dim;

-- What was stored and what was taken since the last call; then all of it is forgotten.
CREATE FUNCTION took() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	stored text := (SELECT string_agg(id::text, ' ' ORDER BY id) FROM target);
	batches text := (SELECT string_agg(format('%s of %s', b.records, c.foreign_table), ', ' ORDER BY b.batch)
	                 FROM checkpoint_fdw.batch b JOIN checkpoint_fdw.checkpoint c ON c.id = b.checkpoint_id);
	requests int := (SELECT count(*) FROM api.log());
BEGIN
	PERFORM checkpoint_fdw.reset('items'), checkpoint_fdw.reset('others');
	TRUNCATE target, log;
	RETURN format('stored %s; taken %s', coalesce(stored, 'nothing'), coalesce(batches, 'nothing')) ||
		CASE requests WHEN 0 THEN '; nothing asked' ELSE '' END;
END $$;
\set took 'SELECT took();'


---- (1) LIMIT stops the scan where it stands, if all between takes one row at a time
INSERT INTO target SELECT * FROM items LIMIT 3;
INSERT INTO target SELECT * FROM items LIMIT 1;
:took
INSERT INTO target SELECT * FROM items WHERE id > 2 LIMIT 1 OFFSET 0;
:took
INSERT INTO target SELECT * FROM (SELECT * FROM items LIMIT 5) five LIMIT 2;
:took
INSERT INTO target SELECT id, upper(name) FROM (SELECT * FROM items OFFSET 0) sub WHERE length(name) > 1 LIMIT 3;
:took
INSERT INTO target SELECT * FROM items WHERE now() > '2000-01-01' LIMIT 3;
:took
INSERT INTO target SELECT * FROM items LIMIT 3 FOR UPDATE;
:took
INSERT INTO target SELECT * FROM (SELECT * FROM items UNION ALL SELECT * FROM others) all_of_them LIMIT 7;
:took
WITH c AS MATERIALIZED (SELECT * FROM items) INSERT INTO target SELECT * FROM c LIMIT 3;
:took
WITH c AS MATERIALIZED (SELECT * FROM items), i AS (INSERT INTO target SELECT * FROM c) SELECT count(*) FROM (SELECT * FROM c LIMIT 1) one;
:took
INSERT INTO target SELECT * FROM items ORDER BY id DESC LIMIT 3;
\echo :LAST_ERROR_SQLSTATE
INSERT INTO target SELECT * FROM items LIMIT 3 OFFSET 2;
INSERT INTO target SELECT * FROM items ORDER BY id FETCH FIRST 1 ROW WITH TIES;
INSERT INTO target SELECT DISTINCT id, name FROM items LIMIT 2;
INSERT INTO target SELECT count(*) FROM items LIMIT 1;
INSERT INTO target SELECT id, unnest(ARRAY['a', 'b', 'c']) FROM items LIMIT 4;
INSERT INTO target SELECT id, part FROM items, LATERAL unnest(ARRAY['a', 'b', 'c']) part LIMIT 4;
CREATE TABLE joined AS SELECT items.* FROM dim JOIN items USING (id) LIMIT 2;
WITH RECURSIVE r AS (SELECT * FROM items UNION ALL SELECT id + 10, name FROM r WHERE id < 4) INSERT INTO target SELECT * FROM r LIMIT 2;
-- the rest of the CTE goes elsewhere
WITH c AS MATERIALIZED (SELECT * FROM items), i AS (INSERT INTO target SELECT * FROM c LIMIT 2) SELECT count(*) FROM c;
:took


---- (2) joins and windows that stop early
SET enable_hashjoin = off;
SET enable_mergejoin = off;
INSERT INTO target SELECT dim.* FROM dim WHERE EXISTS (SELECT FROM items WHERE items.id = dim.id AND length(items.name) > length(dim.name));
RESET enable_hashjoin;
RESET enable_mergejoin;
INSERT INTO target SELECT id, name FROM (SELECT *, row_number() OVER (ORDER BY id) AS place FROM items) numbered WHERE place <= 3;
:took
-- below a sort all records have been read before the join sees the first
INSERT INTO target SELECT i, 'old' FROM generate_series(2, 3) i;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
UPDATE target SET name = s.name FROM (SELECT DISTINCT ON (id) * FROM items ORDER BY id) s WHERE s.id = target.id;
RESET enable_hashjoin;
RESET enable_mergejoin;
SELECT * FROM target ORDER BY id;
:took


---- (3) sub-selects
INSERT INTO target VALUES ((SELECT count(*) FROM items));
INSERT INTO target SELECT 1 WHERE EXISTS (SELECT FROM items);
INSERT INTO target SELECT * FROM dim WHERE id NOT IN (SELECT id FROM items);
INSERT INTO target SELECT * FROM dim;
UPDATE target SET name = (SELECT max(name) FROM items WHERE items.id = target.id);
UPDATE target SET (id, name) = (SELECT id, name FROM items WHERE items.id = target.id);
DELETE FROM target WHERE id = ANY (ARRAY(SELECT id FROM items));
INSERT INTO target VALUES (1) RETURNING (SELECT count(*) FROM items);
WITH c AS MATERIALIZED (SELECT * FROM items) INSERT INTO target SELECT (SELECT count(*) FROM c);
-- one table feeds, the other is in a sub-select
INSERT INTO target SELECT * FROM items WHERE id > (SELECT max(id) FROM others);
:took
-- of other tables, or of a CTE that is read whole anyway, they do no harm
INSERT INTO target SELECT * FROM items WHERE id < (SELECT max(id) FROM dim);
:took
WITH c AS MATERIALIZED (SELECT * FROM items) INSERT INTO target SELECT id, (SELECT count(*) FROM c)::text FROM c;
:took
-- to look is not to take
SET checkpoint_fdw.advance = never;
INSERT INTO target VALUES ((SELECT count(*) FROM items));
RESET checkpoint_fdw.advance;
:took


---- (4) what is new is not all that there is
INSERT INTO target SELECT * FROM dim;
DELETE FROM target WHERE NOT EXISTS (SELECT FROM items WHERE items.id = target.id);
DELETE FROM target USING dim LEFT JOIN items USING (id) WHERE dim.id = target.id AND items.id IS NULL;
INSERT INTO log SELECT id, name FROM (SELECT id, name FROM dim EXCEPT SELECT id, name FROM items) d;
INSERT INTO log SELECT id, name FROM (SELECT id, name FROM dim EXCEPT ALL SELECT id, name FROM items) d;
SELECT current_setting('server_version_num')::int >= 170000 AS has_by_source \gset
\if :has_by_source
MERGE INTO target USING items ON items.id = target.id WHEN NOT MATCHED BY SOURCE THEN DELETE;
\else
\echo 'ERROR:  foreign table "items" holds only what is new, not everything'
\echo 'DETAIL:  MERGE with WHEN NOT MATCHED BY SOURCE acts on rows that are not in the foreign table.'
\echo 'HINT:  Read everything with SET checkpoint_fdw.start = beginning, or set checkpoint_fdw.plan_guard to off.'
\endif
:took
-- the side that is returned may be anti-joined
INSERT INTO target VALUES (1, 'old');
INSERT INTO target SELECT items.* FROM items WHERE NOT EXISTS (SELECT FROM target WHERE target.id = items.id);
:took
INSERT INTO target SELECT id, name FROM (SELECT id, name FROM items EXCEPT SELECT id, name FROM dim) i;
:took
-- and from the beginning it is all that there is; the other rules stay
SET checkpoint_fdw.start = beginning;
INSERT INTO target VALUES (1, 'there'), (7, 'gone');
DELETE FROM target WHERE NOT EXISTS (SELECT FROM items WHERE items.id = target.id);
INSERT INTO log SELECT * FROM items ORDER BY id LIMIT 2;
RESET checkpoint_fdw.start;
:took


---- (5) records are handed up once: a second pass over the same checkpoint is found when it happens
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
INSERT INTO target SELECT items.* FROM (VALUES (1), (2)) v(i) LEFT JOIN items ON items.id = v.i;
\echo :LAST_ERROR_SQLSTATE
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
WITH RECURSIVE r AS (SELECT 1 AS id, 'x' AS name UNION ALL SELECT r.id + 1, items.name FROM r JOIN items ON items.id = r.id WHERE r.id < 3)
INSERT INTO target SELECT * FROM r;
:took


---- (6) no order is promised, so a merge join sorts for itself, and MIN reads all
SET enable_hashjoin = off;
SET enable_nestloop = off;
INSERT INTO target SELECT items.* FROM items JOIN dim USING (id);
:took
RESET enable_hashjoin;
RESET enable_nestloop;
INSERT INTO target SELECT min(id) FROM items;
:took


---- everything else passes
INSERT INTO target SELECT * FROM items ORDER BY name DESC;
:took
INSERT INTO target SELECT max(id), 'of ' || count(*) FROM items GROUP BY id % 2;
:took
INSERT INTO target SELECT DISTINCT ON (id % 3) * FROM items ORDER BY id % 3, id DESC;
:took
INSERT INTO target SELECT id, lag(name) OVER (ORDER BY id) FROM items;
:took
INSERT INTO target SELECT items.id, dim.name FROM items LEFT JOIN dim USING (id);
:took
INSERT INTO target SELECT items.id, d.name FROM items CROSS JOIN LATERAL (SELECT * FROM dim WHERE dim.id = items.id LIMIT 1) d;
:took
INSERT INTO target SELECT items.* FROM items WHERE EXISTS (SELECT FROM dim WHERE dim.id = items.id);
:took
INSERT INTO target SELECT * FROM items UNION SELECT * FROM others;
:took
INSERT INTO target SELECT id, part FROM items, LATERAL unnest(ARRAY['a', 'b']) part;
:took


---- plan_guard
SET checkpoint_fdw.plan_guard = warning;
INSERT INTO target SELECT * FROM items ORDER BY id DESC LIMIT 1;
:took
SET checkpoint_fdw.plan_guard = off;
INSERT INTO target SELECT * FROM items ORDER BY id DESC LIMIT 1;
:took
