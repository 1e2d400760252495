-- Statements inside statements: triggers, functions, and two scans of one checkpoint.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

CALL api.collection('items', 1, 5);
CALL api.collection('others', 1, 2);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE others (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/others', params 'limit=10', records_path '/data',
           cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int, name text);
CREATE TABLE log (id int, name text);

CREATE FUNCTION took() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	target_ids text := (SELECT string_agg(id::text, ' ' ORDER BY id) FROM target);
	log_ids text := (SELECT string_agg(id::text, ' ' ORDER BY id) FROM log);
	batches text := (SELECT string_agg(format('%s of %s', b.records, c.foreign_table), ', ' ORDER BY b.batch)
	                 FROM checkpoint_fdw.batch b JOIN checkpoint_fdw.checkpoint c ON c.id = b.checkpoint_id);
BEGIN
	PERFORM checkpoint_fdw.reset('items'), checkpoint_fdw.reset('others');
	TRUNCATE target, log;
	PERFORM api.log();
	RETURN format('target: %s; log: %s; taken: %s', coalesce(target_ids, '-'), coalesce(log_ids, '-'), coalesce(batches, '-'));
END $$;
\set took 'SELECT took();'


---- a checkpoint has one open scan
INSERT INTO target SELECT * FROM items UNION ALL SELECT * FROM items;
\echo :LAST_ERROR_SQLSTATE
INSERT INTO target SELECT a.* FROM items a JOIN items b USING (id);
-- two tables are two checkpoints
INSERT INTO target SELECT * FROM items UNION ALL SELECT * FROM others;
:took
-- an AFTER trigger runs while the scan is open
CREATE FUNCTION load_log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log SELECT * FROM items; RETURN NULL; END $$;
CREATE TRIGGER loads AFTER INSERT ON target FOR EACH STATEMENT EXECUTE FUNCTION load_log();
INSERT INTO target SELECT * FROM items;
:took
INSERT INTO target SELECT * FROM others;
:took
-- also of a modifying CTE, which runs when the rest is done
WITH i AS (INSERT INTO target SELECT * FROM items) SELECT 1;
:took
DROP TRIGGER loads ON target;
-- a BEFORE trigger comes first, and takes all
CREATE TRIGGER loads BEFORE INSERT ON target FOR EACH STATEMENT EXECUTE FUNCTION load_log();
INSERT INTO target SELECT * FROM items;
SET checkpoint_fdw.plan_guard = off;
INSERT INTO target SELECT * FROM items;
RESET checkpoint_fdw.plan_guard;
:took
DROP TRIGGER loads ON target;
-- a function in the target list
CREATE FUNCTION load_some() RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log SELECT * FROM items LIMIT 4; RETURN 'loaded'; END $$;
INSERT INTO target SELECT id, CASE WHEN id = 1 THEN load_some() END FROM items LIMIT 2;
:took
INSERT INTO target SELECT id, CASE WHEN id = 1 THEN load_some() END FROM others;
:took
-- after an error the scan is no longer open
DO $$
BEGIN
	INSERT INTO target SELECT id / (id - 3), name FROM items;
EXCEPTION WHEN division_by_zero THEN
	RAISE NOTICE 'division by zero';
END $$;
:took
DO $$
BEGIN
	FOR i IN 1..2 LOOP
		BEGIN
			INSERT INTO target SELECT id / (i - 1), name FROM items;
		EXCEPTION WHEN division_by_zero THEN
			RAISE NOTICE 'division by zero';
		END;
	END LOOP;
END $$;
:took


---- rows that come out of a function are not taken, and a warning says so
CREATE FUNCTION all_items() RETURNS SETOF items LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM items; END $$;
INSERT INTO target SELECT * FROM all_items();
INSERT INTO target SELECT * FROM all_items();
:took
CREATE FUNCTION definer_items() RETURNS SETOF items LANGUAGE sql SECURITY DEFINER AS 'SELECT * FROM items';
CREATE TABLE made AS SELECT * FROM definer_items();
:took
CREATE FUNCTION count_items() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM items; RETURN NULL; END $$;
CREATE TRIGGER counts AFTER INSERT ON target FOR EACH STATEMENT EXECUTE FUNCTION count_items();
INSERT INTO target VALUES (1);
DROP TRIGGER counts ON target;
:took
-- a function that is inlined is no function
CREATE FUNCTION inlined_items() RETURNS SETOF items LANGUAGE sql STABLE AS 'SELECT * FROM items';
INSERT INTO target SELECT * FROM inlined_items();
:took
-- nobody stores anything, or nobody wants to take
SELECT count(*) FROM all_items();
SET checkpoint_fdw.advance = never;
INSERT INTO target SELECT * FROM all_items();
RESET checkpoint_fdw.advance;
:took
-- COPY writes a file: that cannot be undone
CREATE FUNCTION write_file() RETURNS int LANGUAGE plpgsql AS $$ BEGIN COPY (SELECT * FROM items) TO '/dev/null'; RETURN 1; END $$;
INSERT INTO target SELECT write_file();
:took


---- savepoints and prepared transactions take the position with them
BEGIN;
INSERT INTO target SELECT * FROM items LIMIT 2;
SAVEPOINT s;
INSERT INTO target SELECT * FROM items LIMIT 2;
ROLLBACK TO s;
INSERT INTO target SELECT * FROM items LIMIT 1;
COMMIT;
:took
BEGIN;
INSERT INTO target SELECT * FROM items LIMIT 2;
PREPARE TRANSACTION 'advance_nested';
SELECT count(*) FROM items;
ROLLBACK PREPARED 'advance_nested';
:took
BEGIN;
INSERT INTO target SELECT * FROM items;
PREPARE TRANSACTION 'advance_nested';
COMMIT PREPARED 'advance_nested';
SELECT count(*) FROM items;
:took
-- a deferred constraint that fails at COMMIT
ALTER TABLE target ADD CONSTRAINT one_of_each UNIQUE (id) DEFERRABLE INITIALLY DEFERRED;
INSERT INTO target VALUES (3);
INSERT INTO target SELECT * FROM items;
SELECT count(*) FROM items;
:took
