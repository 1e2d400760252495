-- Targets that do not share the checkpoint's fate.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

CALL api.collection('items', 1, 3);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int, name text);
CREATE TABLE log (id int, name text);
CREATE TEMP TABLE session_table (id int, name text);

CREATE FUNCTION took() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	batches text := (SELECT string_agg(format('%s records into %s', b.records, coalesce(b.target, 'a temporary table')), ', ' ORDER BY b.batch)
	                 FROM checkpoint_fdw.batch b);
	requests int := (SELECT count(*) FROM api.log());
BEGIN
	PERFORM checkpoint_fdw.reset('items');
	RETURN format('%s; %s requests', coalesce(batches, 'nothing'), requests);
END $$;
\set took 'SELECT took();'


---- a temporary table outside a transaction block
INSERT INTO session_table SELECT * FROM items;
\echo :LAST_ERROR_SQLSTATE
CREATE TEMP TABLE made AS SELECT * FROM items;
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY terse
CREATE TABLE pg_temp.made AS SELECT * FROM items;
CREATE TEMP TABLE made ON COMMIT DROP AS SELECT * FROM items;
SELECT * INTO TEMP made FROM items;
PREPARE load AS INSERT INTO session_table SELECT * FROM items;
EXECUTE load;
PREPARE all_items AS SELECT * FROM items;
CREATE TEMP TABLE made AS EXECUTE all_items;
EXPLAIN (ANALYZE) CREATE TEMP TABLE made AS SELECT * FROM items;
WITH i AS (INSERT INTO session_table SELECT * FROM items) SELECT 1;
WITH c AS MATERIALIZED (SELECT * FROM items), i AS (INSERT INTO target SELECT * FROM c), j AS (INSERT INTO session_table SELECT * FROM c) SELECT 1;
INSERT INTO session_table VALUES (1);
UPDATE session_table SET name = items.name FROM items WHERE items.id = session_table.id;
-- the plan guard has no say in it
SET checkpoint_fdw.plan_guard = off;
INSERT INTO session_table SELECT * FROM items ORDER BY id LIMIT 1;
RESET checkpoint_fdw.plan_guard;
\set VERBOSITY default
:took


---- inside a block, the transaction can still use the rows
BEGIN;
INSERT INTO session_table SELECT * FROM items LIMIT 1;
CREATE TEMP TABLE made ON COMMIT DROP AS SELECT * FROM items;
INSERT INTO target SELECT * FROM made;
COMMIT;
:took
-- as it can with two statements in one message
CREATE TEMP TABLE made AS SELECT * FROM items \; INSERT INTO target SELECT * FROM made;
DROP TABLE made;
:took
-- and in a function, if the table ends with the transaction
DO $$
DECLARE
	r record;
BEGIN
	CREATE TEMP TABLE made ON COMMIT DROP AS SELECT * FROM items;
	FOR r IN SELECT * FROM made ORDER BY id LOOP
		RAISE NOTICE 'record %', r.id;
		EXIT WHEN r.id = 2;
	END LOOP;
END $$;
:took
CREATE FUNCTION staged() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE stage (id int, name text) ON COMMIT DROP;
	INSERT INTO stage SELECT * FROM items;
	INSERT INTO target SELECT * FROM stage;
END $$;
SELECT staged();
:took
DO $$ BEGIN CREATE TEMP TABLE made AS SELECT * FROM items; END $$;
DO $$ BEGIN INSERT INTO session_table SELECT * FROM items; END $$;
CREATE PROCEDURE keep() LANGUAGE plpgsql AS $$ BEGIN CREATE TEMP TABLE made AS SELECT * FROM items; COMMIT; END $$;
CALL keep();
:took
BEGIN;
DO $$ BEGIN INSERT INTO session_table SELECT * FROM items; END $$;
COMMIT;
:took


---- unlogged and foreign tables
CREATE UNLOGGED TABLE unlogged (id int, name text);
INSERT INTO unlogged SELECT * FROM items;
\echo :LAST_ERROR_SQLSTATE
CREATE UNLOGGED TABLE made AS SELECT * FROM items;
CREATE TABLE parent (id int, name text) PARTITION BY RANGE (id);
CREATE TABLE low PARTITION OF parent FOR VALUES FROM (0) TO (100);
INSERT INTO parent SELECT * FROM items;
:took
CREATE UNLOGGED TABLE high PARTITION OF parent FOR VALUES FROM (100) TO (200);
INSERT INTO parent SELECT * FROM items;
DROP TABLE high;
CREATE FOREIGN TABLE high PARTITION OF parent FOR VALUES FROM (100) TO (200) SERVER api OPTIONS (endpoint '/items');
INSERT INTO parent SELECT * FROM items;
INSERT INTO low SELECT * FROM items;
:took
SET checkpoint_fdw.plan_guard = off;
INSERT INTO unlogged SELECT * FROM items;
:took
RESET checkpoint_fdw.plan_guard;


---- rules that make more than one statement of one
CREATE TABLE ruled (id int, name text);
CREATE RULE also AS ON INSERT TO ruled DO ALSO INSERT INTO log VALUES (new.id);
INSERT INTO ruled SELECT * FROM items;
\echo :LAST_ERROR_SQLSTATE
ALTER TABLE ruled DISABLE RULE also;
INSERT INTO ruled SELECT * FROM items;
:took
CREATE OR REPLACE RULE also AS ON INSERT TO ruled WHERE new.id > 1 DO INSTEAD INSERT INTO log VALUES (new.id);
ALTER TABLE ruled ENABLE RULE also;
INSERT INTO ruled SELECT * FROM items;
CREATE OR REPLACE RULE also AS ON INSERT TO ruled DO INSTEAD (INSERT INTO log VALUES (new.id); INSERT INTO target VALUES (new.id));
INSERT INTO ruled SELECT * FROM items;
-- one statement remains one
CREATE OR REPLACE RULE also AS ON INSERT TO ruled DO INSTEAD INSERT INTO log VALUES (new.id);
INSERT INTO ruled SELECT * FROM items;
:took
CREATE TABLE noted (id int, name text);
INSERT INTO noted VALUES (2);
CREATE RULE note AS ON UPDATE TO noted DO ALSO INSERT INTO log VALUES (new.id);
CREATE RULE note_too AS ON DELETE TO noted DO ALSO INSERT INTO log VALUES (old.id);
\set VERBOSITY terse
UPDATE noted SET name = items.name FROM items WHERE items.id = noted.id;
DELETE FROM noted USING items WHERE items.id = noted.id;
\set VERBOSITY default
-- rows that are only locked
INSERT INTO target SELECT items.* FROM items JOIN noted USING (id) FOR UPDATE OF noted;
:took
CREATE VIEW target_view AS SELECT * FROM target;
INSERT INTO target_view SELECT * FROM items;
:took


---- one consumer feeds one table
INSERT INTO target SELECT * FROM items LIMIT 1;
INSERT INTO log SELECT * FROM items;
SET checkpoint_fdw.consumer = 'log';
INSERT INTO log SELECT * FROM items;
RESET checkpoint_fdw.consumer;
INSERT INTO target SELECT * FROM items;
:took
-- a temporary table is a station on the way
BEGIN;
INSERT INTO session_table SELECT * FROM items LIMIT 1;
INSERT INTO target SELECT * FROM session_table;
INSERT INTO target SELECT * FROM items LIMIT 1;
INSERT INTO session_table SELECT * FROM items LIMIT 1;
COMMIT;
:took
-- a new table is another one, and a renamed one until somebody says that it is the same
INSERT INTO target SELECT * FROM items LIMIT 1;
CREATE TABLE peeked AS SELECT * FROM items;
ALTER TABLE target RENAME TO renamed;
INSERT INTO renamed SELECT * FROM items LIMIT 1;
SELECT checkpoint_fdw.accept_change('items', 'default');
INSERT INTO renamed SELECT * FROM items LIMIT 1;
SELECT target FROM checkpoint_fdw.status WHERE consumer = 'default';
