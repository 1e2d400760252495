-- Which statements take the records, and which only look (one consumer, one list of five records).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

CALL api.collection('items', 1, 5);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE plain (id int, name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor');
CREATE TABLE target (id int, name text);
CREATE TABLE log (id int, name text);

-- What was taken since the last call, and into what; then all of it is forgotten.
CREATE FUNCTION took() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	batches text := (SELECT string_agg(format('%s records into %s', b.records, b.target), ', ' ORDER BY b.batch)
	                 FROM checkpoint_fdw.batch b);
	requests int := (SELECT count(*) FROM api.log());
BEGIN
	PERFORM checkpoint_fdw.reset('items');
	TRUNCATE target, log;
	RETURN format('%s; %s requests', coalesce(batches, 'nothing'), requests);
END $$;
\set took 'SELECT took();'


---- statements that store the rows take them
INSERT INTO target SELECT * FROM items;
:took
INSERT INTO target SELECT * FROM items ON CONFLICT DO NOTHING;
:took
INSERT INTO target TABLE items RETURNING id;
:took
INSERT INTO target SELECT * FROM items LIMIT 2;
SELECT count(*), max(id) FROM target;
INSERT INTO target SELECT * FROM items;
SELECT count(*), max(id) FROM target;
:took
INSERT INTO target VALUES (1, 'old'), (9, 'old');
UPDATE target SET name = items.name FROM items WHERE items.id = target.id;
SELECT * FROM target ORDER BY id;
:took
INSERT INTO target VALUES (1, 'old'), (9, 'old');
DELETE FROM target USING items WHERE items.id = target.id;
SELECT * FROM target ORDER BY id;
:took
INSERT INTO target VALUES (1, 'old'), (9, 'old');
MERGE INTO target USING items ON items.id = target.id
  WHEN MATCHED THEN UPDATE SET name = items.name WHEN NOT MATCHED THEN INSERT VALUES (items.id, items.name);
SELECT * FROM target ORDER BY id;
:took
WITH i AS (INSERT INTO target SELECT * FROM items RETURNING id) SELECT max(id) FROM i;
:took
-- one that nobody reads, and one below a LIMIT: it runs to its end all the same
WITH i AS (INSERT INTO target SELECT * FROM items) SELECT 1;
:took
WITH i AS (INSERT INTO target SELECT * FROM items RETURNING id) SELECT count(*) FROM (SELECT * FROM i LIMIT 1) one;
:took
-- a CTE that feeds two tables, and one that is read beside
WITH c AS MATERIALIZED (SELECT * FROM items), i AS (INSERT INTO target SELECT * FROM c), j AS (INSERT INTO log SELECT * FROM c)
SELECT count(*) FROM c;
SELECT (SELECT count(*) FROM target), (SELECT count(*) FROM log);
:took
CREATE TABLE made AS SELECT * FROM items;
:took
SELECT * INTO made_2 FROM items;
:took
PREPARE all_items AS SELECT * FROM items;
CREATE TABLE made_3 AS EXECUTE all_items;
:took
PREPARE load(int) AS INSERT INTO target SELECT * FROM items WHERE id <> $1;
EXECUTE load(0);
EXECUTE load(0);
:took
DO $$ BEGIN FOR i IN 1..7 LOOP PERFORM checkpoint_fdw.reset('items'); EXECUTE 'EXECUTE load(0)'; END LOOP; END $$;
:took
-- EXPLAIN ANALYZE runs it, EXPLAIN does not
DO $$ BEGIN EXECUTE 'EXPLAIN (ANALYZE) INSERT INTO target SELECT * FROM items'; END $$;
:took
DO $$ BEGIN EXECUTE 'EXPLAIN (ANALYZE) CREATE TABLE made_4 AS SELECT * FROM items'; END $$;
:took
DO $$ BEGIN EXECUTE 'EXPLAIN INSERT INTO target SELECT * FROM items'; END $$;
:took
-- in functions and procedures
CREATE FUNCTION load_sql() RETURNS void LANGUAGE sql AS 'INSERT INTO target SELECT * FROM items';
CREATE PROCEDURE load_plpgsql() LANGUAGE plpgsql AS 'BEGIN INSERT INTO target SELECT * FROM items; COMMIT; END';
SELECT load_sql();
:took
CALL load_plpgsql();
:took
-- a loop over RETURNING: the rows are stored, however far the loop gets
DO $$
DECLARE r record;
BEGIN
	FOR r IN INSERT INTO target SELECT * FROM items RETURNING id LOOP EXIT; END LOOP;
END $$;
SELECT count(*) FROM target;
:took
-- through a view
CREATE VIEW item_view AS SELECT id, upper(name) AS name FROM items;
INSERT INTO target SELECT * FROM item_view;
:took


---- other statements look at what is pending
INSERT INTO target SELECT * FROM items LIMIT 3;
:took
INSERT INTO target SELECT * FROM items LIMIT 3;
SELECT id FROM items;
BEGIN;
DECLARE c CURSOR FOR SELECT id FROM items;
FETCH 1 FROM c;
FETCH 9 FROM c;
COMMIT;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT id FROM items;
FETCH 1 FROM c;
COMMIT;
FETCH 9 FROM c;
CLOSE c;
DO $$
DECLARE r record;
BEGIN
	FOR r IN SELECT * FROM items LOOP RAISE NOTICE 'record %', r.id; EXIT; END LOOP;
	SELECT * INTO r FROM items LIMIT 1;
END $$;
COPY (SELECT id FROM items) TO STDOUT;
WITH i AS (INSERT INTO log VALUES (1)) SELECT count(*) FROM items;
SELECT count(*) FROM target WHERE id NOT IN (SELECT id FROM items);
BEGIN READ ONLY;
SELECT id FROM items;
COMMIT;
CREATE TEMP TABLE scratch (id int, name text);
BEGIN READ ONLY;
INSERT INTO scratch SELECT * FROM items;
SELECT count(*) FROM scratch;
COMMIT;
SET checkpoint_fdw.advance = never;
INSERT INTO log SELECT * FROM items;
CREATE TEMP TABLE scratch_2 AS SELECT * FROM items;
SELECT (SELECT count(*) FROM log), (SELECT count(*) FROM scratch_2);
RESET checkpoint_fdw.advance;
SELECT count(*) FROM checkpoint_fdw.batch;
-- and two are left
INSERT INTO target SELECT * FROM items;
SELECT id FROM target ORDER BY id;
:took


---- a materialized view and a dump hold everything, whatever was taken before
INSERT INTO target SELECT * FROM items;
SELECT count(*) FROM items;
CREATE MATERIALIZED VIEW mat AS SELECT id FROM items;
SELECT count(*) FROM mat;
REFRESH MATERIALIZED VIEW mat;
SELECT count(*) FROM mat;
DO $$ BEGIN EXECUTE 'EXPLAIN (ANALYZE) CREATE MATERIALIZED VIEW mat_2 AS SELECT id FROM items'; END $$;
SELECT count(*) FROM mat_2;
-- what such a query calls does not load either
CREATE FUNCTION load_and_count() RETURNS bigint LANGUAGE sql
  AS 'INSERT INTO public.log SELECT * FROM public.items; SELECT count(*) FROM public.log';
CREATE MATERIALIZED VIEW mat_3 AS SELECT load_and_count();
SELECT * FROM mat_3;
\setenv PGDATABASE :DBNAME
\! pg_dump -a -t items --include-foreign-data=api | grep -c record
SELECT count(*) FROM items;
SELECT count(*) FROM checkpoint_fdw.batch;
:took


---- start = beginning: everything again; a load replaces the checkpoint
INSERT INTO target SELECT * FROM items LIMIT 3;
SET checkpoint_fdw.start = beginning;
SELECT count(*) FROM items;
INSERT INTO log SELECT * FROM items LIMIT 4;
RESET checkpoint_fdw.start;
SELECT count(*) FROM items;
:took


---- nothing is asked for before the first row is wanted
CREATE TABLE shape AS SELECT * FROM items LIMIT 0;
CREATE TABLE shape_2 AS SELECT * FROM items WITH NO DATA;
INSERT INTO target SELECT * FROM items WHERE false;
INSERT INTO target SELECT items.* FROM items, log WHERE log.id = items.id AND log.id IS NULL AND log.id = 1;
SELECT * FROM (SELECT * FROM items LIMIT 0) none;
SELECT CASE WHEN id < 0 THEN (SELECT count(*) FROM items) END FROM log;
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM items;
COMMIT;
:took


---- a table without a checkpoint is never written about
INSERT INTO target SELECT * FROM plain ORDER BY id LIMIT 1;
INSERT INTO target VALUES ((SELECT count(*) FROM plain));
SELECT count(*) FROM checkpoint_fdw.checkpoint;
:took


---- the right to take records is UPDATE on the foreign table
CREATE ROLE checkpoint_fdw_reader;
GRANT SELECT ON items TO checkpoint_fdw_reader;
GRANT INSERT, SELECT ON target TO checkpoint_fdw_reader;
SET ROLE checkpoint_fdw_reader;
SELECT count(*) FROM items;
INSERT INTO target SELECT * FROM items;
\echo :LAST_ERROR_SQLSTATE
CREATE TEMP TABLE scratch_3 AS SELECT * FROM items;
SET checkpoint_fdw.advance = never;
INSERT INTO target SELECT * FROM items;
RESET checkpoint_fdw.advance;
RESET ROLE;
GRANT UPDATE ON items TO checkpoint_fdw_reader;
SET ROLE checkpoint_fdw_reader;
INSERT INTO target SELECT * FROM items;
RESET ROLE;
:took
DROP OWNED BY checkpoint_fdw_reader;
DROP ROLE checkpoint_fdw_reader;


---- an advancing statement does not enter parallel mode, a peek works in it
CREATE TABLE big AS SELECT i AS id, i % 7 AS k FROM generate_series(1, 20000) i;
ANALYZE big;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE FUNCTION workers(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	planned bool := false;
	launched bool := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF) ' || statement LOOP
		planned := planned OR line ~ 'Workers Planned: [1-9]';
		launched := launched OR line ~ 'Workers Launched: [1-9]';
	END LOOP;
	RETURN format('planned: %s, launched: %s', planned, launched);
END $$;
SELECT count(*) FROM (SELECT k, count(*) FROM big GROUP BY k) b JOIN items ON items.id = b.k;
SELECT workers('CREATE TABLE counted AS SELECT items.*, n FROM (SELECT k, count(*) n FROM big GROUP BY k) b JOIN items ON items.id = b.k');
SELECT count(*) FROM counted;
:took
