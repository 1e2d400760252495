-- CALL ingest and CALL run: batches with a COMMIT after each.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE FUNCTION ids(source text DEFAULT 'target') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	ids int[];
BEGIN
	EXECUTE format('SELECT array_agg(id ORDER BY ctid) FROM %I', source) INTO ids;
	RETURN api.runs(ids);
END $$;
CREATE FUNCTION batches(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT format('%s pages, %s records, %s rejected', pages, records, rejected) || CASE WHEN consumer <> 'default' THEN ' for ' || consumer ELSE '' END
	FROM checkpoint_fdw.batches WHERE foreign_table = source::regclass ORDER BY batch;
END;
CREATE FUNCTION stands(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT concat_ws(', ', position_text, CASE WHEN pending THEN 'pending' END, failures || ' failures', last_error)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass ORDER BY consumer, partition;
END;

CALL api.collection('items', 1, 55);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int, name text);

---- batch after batch
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2);
SELECT ids();
SELECT * FROM api.log();
SELECT batches('items');
SELECT stands('items');
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2);
SELECT * FROM api.log();
-- no setting stays behind
SELECT current_setting('checkpoint_fdw.batch_pages'), current_setting('checkpoint_fdw.consumer');
CALL api.append('items', 56, 61);
CALL checkpoint_fdw.ingest('items', 'target');
SELECT * FROM api.log();
-- pages of a batch: the argument, else the setting, else the table's option
SELECT checkpoint_fdw.reset('items');
ALTER FOREIGN TABLE items OPTIONS (ADD batch_pages '4');
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => NULL);
SELECT checkpoint_fdw.reset('items');
SET checkpoint_fdw.batch_pages = 5;
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => NULL);
RESET checkpoint_fdw.batch_pages;
SELECT checkpoint_fdw.reset('items');
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 6);
ALTER FOREIGN TABLE items OPTIONS (DROP batch_pages);
SELECT checkpoint_fdw.reset('items');
SELECT count(*) FROM api.log();
TRUNCATE target;
-- a consumer of its own
CALL checkpoint_fdw.ingest('items', 'target', consumer => 'other');
SET checkpoint_fdw.consumer = 'third';
CALL checkpoint_fdw.ingest('items', 'target');
SELECT current_setting('checkpoint_fdw.consumer');
RESET checkpoint_fdw.consumer;
SELECT batches('items');
SELECT checkpoint_fdw.reset('items');
SELECT count(*) FROM api.log();
-- other modes
CREATE FOREIGN TABLE known (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'keys');
CREATE FOREIGN TABLE pages (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/page', params 'per_page=10', records_path '/data', page_param 'page', checkpoint 'offset');
CREATE FOREIGN TABLE iterated (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'keys', stateful_cursor 'true');
TRUNCATE target;
CALL checkpoint_fdw.ingest('known', 'target', batch_pages => 3);
CALL checkpoint_fdw.ingest('known', 'target', batch_pages => 3);
SELECT ids();
SELECT count(*) FROM api.log();
TRUNCATE target;
CALL checkpoint_fdw.ingest('pages', 'target', batch_pages => 3);
CALL checkpoint_fdw.ingest('pages', 'target', batch_pages => 3);
SELECT ids();
SELECT count(*) FROM api.log();
TRUNCATE target;
CALL checkpoint_fdw.ingest('iterated', 'target', batch_pages => 3);
SELECT ids();
SELECT count(*) FROM api.log();
-- the time is a bound, too
TRUNCATE target;
CALL api.overlay('/items', '{}', '{"delay": 600}');
SET checkpoint_fdw.batch_seconds = 1;
CALL checkpoint_fdw.ingest('items', 'target');
RESET checkpoint_fdw.batch_seconds;
SELECT ids();
SELECT count(*) > 1 FROM batches('items');
CALL api.clear();
CALL api.collection('items', 1, 25);


---- columns go by name
CREATE FOREIGN TABLE people (id int OPTIONS (key 'true'), gone int, name text, "Full Name" text OPTIONS (path '/name'), at timestamptz OPTIONS (source 'fetched_at')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
ALTER FOREIGN TABLE people DROP COLUMN gone;
CREATE TABLE folk (loaded boolean DEFAULT true, old int, "Full Name" varchar(40), at timestamptz, name text NOT NULL, id bigint, double bigint GENERATED ALWAYS AS (id * 2) STORED);
ALTER TABLE folk DROP COLUMN old;
SET client_min_messages = warning;
CALL checkpoint_fdw.ingest('people', 'folk');
SELECT id, name, "Full Name", at IS NOT NULL, loaded, double FROM folk WHERE id = 7;
-- a generated column makes its own value; an identity column takes the one it is given
CREATE FOREIGN TABLE twice (id int OPTIONS (key 'true'), name text, double int OPTIONS (path '/id')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
TRUNCATE folk;
CALL checkpoint_fdw.ingest('twice', 'folk');
SELECT id, double FROM folk WHERE id = 7;
CREATE TABLE always (id int GENERATED ALWAYS AS IDENTITY (START 100) PRIMARY KEY, name text);
CREATE TABLE by_default (id int GENERATED BY DEFAULT AS IDENTITY (START 100), name text, n int GENERATED ALWAYS AS IDENTITY);
CALL checkpoint_fdw.ingest('items', 'always', consumer => 'always');
CALL checkpoint_fdw.ingest('items', 'always', consumer => 'always again', conflict => 'update');
CALL checkpoint_fdw.ingest('items', 'by_default', consumer => 'by default');
SELECT min(id), max(id), count(*) FROM always;
SELECT min(id), max(id), min(n), max(n) FROM by_default;
-- what the target lacks is an error before any request
SELECT count(*) FROM api.log();
\set VERBOSITY default
ALTER TABLE folk DROP COLUMN name, DROP COLUMN double;
CALL checkpoint_fdw.ingest('twice', 'folk', consumer => 'new');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM api.log();
CREATE VIEW folk_view AS SELECT id FROM folk;
CREATE FOREIGN TABLE ids (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
TRUNCATE folk;
CALL checkpoint_fdw.ingest('ids', 'folk_view');
SELECT ids('folk');
SELECT * FROM api.log();
RESET client_min_messages;


---- conflict
CREATE FOREIGN TABLE versions (id int, name text) SERVER api OPTIONS (endpoint '/versions?n=1', next_url_path '/next', records_path '/data', checkpoint 'cursor');
CREATE TABLE current (id int PRIMARY KEY, name text);
CREATE PROCEDURE versions() BEGIN ATOMIC
	SELECT api.call('POST', '/_rule?hex', '{"path": "/versions?n=1", "repeat": true, "script": [{"json": {"data": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 1, "name": "c"}], "next": "?n=2"}}]}');
	SELECT api.call('POST', '/_rule?hex', '{"path": "/versions?n=2", "repeat": true, "script": [{"json": {"data": [{"id": 3, "name": "d"}, {"id": 2, "name": "e"}, {"id": 1, "name": "f"}, {"id": 4, "name": null}], "next": "?n=3"}}]}');
	SELECT api.call('POST', '/_rule?hex', '{"path": "/versions?n=3", "repeat": true, "script": [{"json": {"data": [{"id": 3, "name": "g"}]}}]}');
END;
CALL versions();
\set VERBOSITY terse
CALL checkpoint_fdw.ingest('versions', 'current', conflict => 'update', batch_pages => 2);
SELECT * FROM current ORDER BY id;
CALL checkpoint_fdw.ingest('versions', 'current', conflict => 'nothing', consumer => 'nothing', batch_pages => 1);
SELECT * FROM current ORDER BY id;
TRUNCATE current;
CALL checkpoint_fdw.ingest('versions', 'current', conflict => 'nothing', consumer => 'nothing again');
SELECT * FROM current ORDER BY id;
SET client_min_messages = warning;
\set VERBOSITY default
CALL checkpoint_fdw.ingest('versions', 'current', consumer => 'error');
\echo :LAST_ERROR_SQLSTATE
-- two keys that are one in the target
CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE FOREIGN TABLE texts (id text, name text) SERVER api OPTIONS (endpoint '/texts', checkpoint 'cursor');
CREATE TABLE by_number (id numeric(4,1) PRIMARY KEY, name text);
CREATE TABLE by_text (id text COLLATE ignoring_case PRIMARY KEY, name text);
CREATE TABLE by_both (name text, id text, PRIMARY KEY (name, id));
CALL api.script('/texts', '[{"json": [{"id": "1", "name": "a"}, {"id": "1.00", "name": "b"}, {"id": "01.04", "name": "c"}]}]');
CALL checkpoint_fdw.ingest('texts', 'by_number', conflict => 'update', consumer => 'number');
\echo :LAST_ERROR_SQLSTATE
ALTER FOREIGN TABLE texts ALTER id TYPE numeric;
CALL api.script('/texts', '[{"json": [{"id": "1", "name": "a"}, {"id": "1.00", "name": "b"}, {"id": "01.04", "name": "c"}]}]');
CALL checkpoint_fdw.ingest('texts', 'by_number', conflict => 'update', consumer => 'number');
SELECT * FROM by_number;
ALTER FOREIGN TABLE texts ALTER id TYPE text;
CALL api.script('/texts', '[{"json": [{"id": "a", "name": "a"}, {"id": "b", "name": "b"}, {"id": "A", "name": "c"}]}]');
CALL checkpoint_fdw.ingest('texts', 'by_text', conflict => 'update', consumer => 'text');
SELECT * FROM by_text ORDER BY id;
-- nothing but the key
CALL api.script('/texts', '[{"json": [{"id": "a", "name": "a"}, {"id": "b", "name": "b"}, {"id": "a", "name": "a"}, {"id": "a", "name": "b"}]}]');
CALL checkpoint_fdw.ingest('texts', 'by_both', conflict => 'update', consumer => 'both');
SELECT * FROM by_both ORDER BY id, name;
-- no key, or not in the source
CALL checkpoint_fdw.ingest('items', 'target', conflict => 'update', consumer => 'no key');
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE elsewhere (key int PRIMARY KEY, id int, name text);
CALL checkpoint_fdw.ingest('items', 'elsewhere', conflict => 'update', consumer => 'no key');
\echo :LAST_ERROR_SQLSTATE
-- a partitioned target
CREATE TABLE parted (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (1) TO (10);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (100);
CALL checkpoint_fdw.ingest('items', 'parted', conflict => 'update', consumer => 'parted');
CALL checkpoint_fdw.ingest('items', 'parted', conflict => 'update', consumer => 'parted again');
SELECT tableoid::regclass, count(*) FROM parted GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM api.log();


---- filter: records that it drops have been used
TRUNCATE target;
CALL checkpoint_fdw.ingest('items', 'target', filter => 'id % 5 = 0 OR items.name = ''record 3'' -- and no others', consumer => 'filter', batch_pages => 1);
SELECT ids();
CALL checkpoint_fdw.ingest('items', 'target', consumer => 'filter');
SELECT ids();
CALL checkpoint_fdw.ingest('items', 'target', filter => 'nonsense = 1', consumer => 'bad filter');
CALL checkpoint_fdw.ingest('items', 'target', filter => '', consumer => 'bad filter');
SELECT count(*) FROM api.log();


---- where it cannot be called: an error before the first request
BEGIN;
CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
SELECT 1 \; CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block');
\echo :LAST_ERROR_SQLSTATE
SET checkpoint_fdw.consumer = 'block' \; CALL checkpoint_fdw.ingest('items', 'target');
\echo :LAST_ERROR_SQLSTATE
CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$ BEGIN CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block'); END $$;
SELECT load();
\echo :LAST_ERROR_SQLSTATE
CREATE PROCEDURE bound() LANGUAGE plpgsql SET work_mem = '4MB' AS $$ BEGIN CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block'); END $$;
CALL bound();
\echo :LAST_ERROR_SQLSTATE
CREATE PROCEDURE definer() LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block'); END $$;
CALL definer();
\echo :LAST_ERROR_SQLSTATE
DO $$ BEGIN CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block'); EXCEPTION WHEN division_by_zero THEN END $$;
\echo :LAST_ERROR_SQLSTATE
BEGIN;
CALL checkpoint_fdw.run('INSERT INTO target SELECT * FROM items', 'block');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
SELECT * FROM api.log();
-- a DO block or a procedure that may commit is fine
TRUNCATE target;
DO $$ BEGIN CALL checkpoint_fdw.ingest('items', 'target', consumer => 'do', batch_pages => 1); END $$;
SELECT ids();
CREATE PROCEDURE free() LANGUAGE plpgsql AS $$ BEGIN CALL checkpoint_fdw.ingest('items', 'target', consumer => 'procedure', batch_pages => 1); END $$;
CALL free();
SELECT ids();
SELECT count(*) FROM api.log();
-- settings under which each batch would begin where the one before began
SET checkpoint_fdw.advance = never;
CALL checkpoint_fdw.ingest('items', 'target', consumer => 'block');
\echo :LAST_ERROR_SQLSTATE
RESET checkpoint_fdw.advance;
SET checkpoint_fdw.start = beginning;
CALL checkpoint_fdw.run('INSERT INTO target SELECT * FROM items', 'block');
\echo :LAST_ERROR_SQLSTATE
RESET checkpoint_fdw.start;


---- arguments
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 0);
CALL checkpoint_fdw.ingest('items', 'target', conflict => 'ignore');
CALL checkpoint_fdw.ingest('items', 'target', conflict => NULL);
CALL checkpoint_fdw.ingest('items', 'target', on_error => 'skip');
CALL checkpoint_fdw.ingest('items', 'target', consumer => '');
CALL checkpoint_fdw.ingest('target', 'target');
CALL checkpoint_fdw.ingest(NULL, 'target');
CALL checkpoint_fdw.ingest('items', NULL);
CALL checkpoint_fdw.ingest('items', 'target', partitions => 'SELECT 1 AS nonsense');
CALL checkpoint_fdw.ingest('items', 'target', partitions => 'SELECT 1 AS id');
CALL checkpoint_fdw.run(NULL);
CALL checkpoint_fdw.run('nonsense');
CALL checkpoint_fdw.run('SELECT 1', batch_pages => -1);
CREATE FOREIGN TABLE plain (id int, name text) SERVER api OPTIONS (endpoint '/items', records_path '/data');
CALL checkpoint_fdw.ingest('plain', 'target');
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE file (id int, name text) SERVER files OPTIONS (filename '/dev/null');
CALL checkpoint_fdw.ingest('file', 'target');
SELECT count(*) FROM api.log();
RESET client_min_messages;
\set VERBOSITY terse
CALL checkpoint_fdw.ingest('items', 'target', partitions => 'SELECT 1 AS id WHERE false');
CALL checkpoint_fdw.ingest('items', 'target', partitions => 'SELECT NULL::int AS id');
SELECT count(*) FROM api.log();


---- a failure: what was committed stays, the stream remembers the error, the next call goes on
CREATE TABLE picky (id int CHECK (id <> 17) PRIMARY KEY, name text);
CALL checkpoint_fdw.ingest('items', 'picky', consumer => 'picky', batch_pages => 1);
SELECT ids('picky');
SELECT position_text, pending, failures, last_error FROM checkpoint_fdw.status WHERE consumer = 'picky';
CALL checkpoint_fdw.ingest('items', 'picky', consumer => 'picky', batch_pages => 1);
SELECT failures FROM checkpoint_fdw.status WHERE consumer = 'picky';
ALTER TABLE picky DROP CONSTRAINT picky_id_check;
CALL checkpoint_fdw.ingest('items', 'picky', consumer => 'picky', batch_pages => 1);
SELECT ids('picky');
SELECT position_text, pending, failures, last_error FROM checkpoint_fdw.status WHERE consumer = 'picky';
SELECT count(*) FROM api.log();
-- all that an error says comes out
DO $$
DECLARE
	state text;
	message text;
	detail text;
	hint text;
	context text;
	column_name text;
	constraint_name text;
	datatype_name text;
	table_name text;
	schema_name text;
BEGIN
	PERFORM checkpoint_fdw.throw('{"sqlstate": "ABC12", "message": "a %s message", "detail": "a detail", "hint": "a hint", "context": "a context", "column_name": "a column",
	                               "constraint_name": "a constraint", "datatype_name": "a type", "table_name": "a table", "schema_name": "a schema"}');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT,
		column_name = COLUMN_NAME, constraint_name = CONSTRAINT_NAME, datatype_name = PG_DATATYPE_NAME, table_name = TABLE_NAME, schema_name = SCHEMA_NAME;
	RAISE NOTICE '%', concat_ws(', ', state, message, detail, hint, split_part(context, E'\n', 1), column_name, constraint_name, datatype_name, table_name, schema_name);
END $$;
SET client_min_messages = warning;
\set VERBOSITY default
SELECT checkpoint_fdw.throw('{"sqlstate": "ABC12", "message": "a message", "detail": "", "hint": "", "context": ""}');
\echo :LAST_ERROR_SQLSTATE
SELECT checkpoint_fdw.throw(NULL);
-- of the API, too
CALL api.overlay('/items', '{"3": {"status": 400, "body": "no"}}');
CALL checkpoint_fdw.ingest('items', 'target', consumer => 'api', batch_pages => 1);
SELECT failures, last_error FROM checkpoint_fdw.status WHERE consumer = 'api';
-- and of a constraint that is checked at the end
CREATE TABLE parents (id int PRIMARY KEY);
INSERT INTO parents SELECT generate_series(1, 14);
CREATE TABLE children (id int REFERENCES parents DEFERRABLE INITIALLY DEFERRED, name text);
CALL checkpoint_fdw.ingest('items', 'children', consumer => 'deferred', batch_pages => 1);
SELECT ids('children');
SELECT failures, last_error FROM checkpoint_fdw.status WHERE consumer = 'deferred';
-- before anything was read it is nobody's failure
CALL checkpoint_fdw.ingest('items', 'target', filter => 'nonsense', consumer => 'nobody');
SELECT count(*) FROM checkpoint_fdw.status WHERE consumer = 'nobody';
CALL api.clear();
CALL api.collection('items', 1, 25);

---- on_error reject: a row that the target refuses goes among the dead letters, and the load goes on
CREATE FUNCTION rejected(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT format('%s: %s %s', record, sqlstate, error) FROM checkpoint_fdw.rejected WHERE foreign_table = source::regclass ORDER BY rejected.id;
END;
TRUNCATE picky;
ALTER TABLE picky ADD CHECK (id NOT IN (1, 7, 8, 25));
RESET client_min_messages;
\set VERBOSITY terse
SELECT checkpoint_fdw.reset('items');
CALL checkpoint_fdw.ingest('items', 'picky', on_error => 'reject');
SELECT ids('picky');
SELECT rejected('items');
SELECT * FROM api.log();
SELECT stands('items');
SELECT sum(records), sum(rejected), count(*) FILTER (WHERE rejected > 0) FROM checkpoint_fdw.batches WHERE foreign_table = 'items'::regclass;
SELECT rejected FROM checkpoint_fdw.status WHERE foreign_table = 'items'::regclass;
CALL checkpoint_fdw.ingest('items', 'picky', on_error => 'reject');
-- the position can be taken back, and with it the dead letters
SELECT checkpoint_fdw.rewind(min(batch)) > 0 FROM checkpoint_fdw.batches WHERE foreign_table = 'items'::regclass;
SELECT rejected('items');
SELECT count(*) FROM api.log();
-- small batches; all rows refused; duplicates
SET client_min_messages = warning;
TRUNCATE picky;
SELECT checkpoint_fdw.reset('items');
CALL checkpoint_fdw.ingest('items', 'picky', on_error => 'reject', batch_pages => 1);
SELECT ids('picky');
SELECT count(*) FROM rejected('items');
SELECT checkpoint_fdw.reset('items');
CALL checkpoint_fdw.ingest('items', 'picky', on_error => 'reject');
SELECT ids('picky');
SELECT count(*), min(line) FROM rejected('items') line;
SELECT checkpoint_fdw.reset('items');
CALL checkpoint_fdw.ingest('items', 'picky', on_error => 'reject', conflict => 'update');
SELECT rejected('items');
SELECT checkpoint_fdw.reset('items');
-- a deferred constraint
TRUNCATE children;
CALL checkpoint_fdw.ingest('items', 'children', consumer => 'reject deferred', on_error => 'reject', filter => 'id < 17');
SELECT ids('children');
SELECT rejected('items');
SELECT count(*) FROM api.log();
-- the filter and the last version of a key, while the batch is narrowed down
CREATE TABLE current_picky (id int PRIMARY KEY, name text NOT NULL CHECK (name <> 'f'));
CALL versions();
CALL checkpoint_fdw.ingest('versions', 'current_picky', consumer => 'picky', on_error => 'reject', conflict => 'update', filter => 'id <> 2');
SELECT * FROM current_picky ORDER BY id;
SELECT rejected('versions');
SELECT count(*) FROM api.log();
-- an error of the API or of the decoder is no poison, whatever the target would say
\set VERBOSITY default
CALL api.script('/mixed', '[{"json": {"data": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": "three", "name": "c"}]}}]', repeat => true);
CREATE FOREIGN TABLE mixed (id int, name text OPTIONS (key 'true')) SERVER api OPTIONS (endpoint '/mixed', records_path '/data', checkpoint 'cursor');
TRUNCATE target;
CALL checkpoint_fdw.ingest('mixed', 'target', on_error => 'reject');
\echo :LAST_ERROR_SQLSTATE
SELECT ids();
SELECT rejected('mixed');
SELECT stands('mixed');
SELECT count(*) FROM api.log();
CALL api.overlay('/items', '{"3": {"status": 400, "body": "no"}, "4": {"status": 400, "body": "no"}, "5": {"status": 400, "body": "no"}, "6": {"status": 400, "body": "no"}, "7": {"status": 400, "body": "no"}}');
TRUNCATE target;
CALL checkpoint_fdw.ingest('items', 'target', consumer => 'api error', on_error => 'reject');
\echo :LAST_ERROR_SQLSTATE
SELECT ids();
SELECT count(*) FROM rejected('items') line WHERE line LIKE '%status%';
CALL api.clear();
CALL api.collection('items', 1, 25);
-- nor is one of the server or the statement
CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = TG_ARGV[0], MESSAGE = 'no'; END $$;
CREATE TABLE stumbling (id int, name text);
CREATE TRIGGER stumble BEFORE INSERT ON stumbling FOR EACH ROW WHEN (NEW.id = 3) EXECUTE FUNCTION stumble('53100');
CALL checkpoint_fdw.ingest('items', 'stumbling', consumer => 'stumbling', on_error => 'reject');
\echo :LAST_ERROR_SQLSTATE
CREATE OR REPLACE TRIGGER stumble BEFORE INSERT ON stumbling FOR EACH ROW WHEN (NEW.id = 3) EXECUTE FUNCTION stumble('42P01');
CALL checkpoint_fdw.ingest('items', 'stumbling', consumer => 'stumbling', on_error => 'reject');
\echo :LAST_ERROR_SQLSTATE
SELECT ids('stumbling');
CREATE OR REPLACE TRIGGER stumble BEFORE INSERT ON stumbling FOR EACH ROW WHEN (NEW.id = 3) EXECUTE FUNCTION stumble('P0001');
CALL checkpoint_fdw.ingest('items', 'stumbling', consumer => 'stumbling', on_error => 'reject');
SELECT ids('stumbling');
-- an error that comes again and again and may go away is tried ten times more
CREATE SEQUENCE tried;
CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF nextval('tried') < TG_ARGV[0]::int THEN
		RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'collision';
	END IF;
	RETURN NEW;
END $$;
CREATE TABLE colliding (id int, name text);
CREATE TRIGGER collide BEFORE INSERT ON colliding FOR EACH ROW WHEN (NEW.id = 12) EXECUTE FUNCTION collide('4');
CALL checkpoint_fdw.ingest('items', 'colliding', consumer => 'colliding', on_error => 'reject');
SELECT ids('colliding'), currval('tried');
SELECT failures FROM checkpoint_fdw.status WHERE consumer = 'colliding';
CREATE OR REPLACE TRIGGER collide BEFORE INSERT ON colliding FOR EACH ROW WHEN (NEW.id = 12) EXECUTE FUNCTION collide('1000');
SELECT checkpoint_fdw.reset('items', 'colliding'), setval('tried', 1);
CALL checkpoint_fdw.ingest('items', 'colliding', consumer => 'colliding');
\echo :LAST_ERROR_SQLSTATE
SELECT currval('tried') - 1;
SELECT failures, last_error FROM checkpoint_fdw.status WHERE consumer = 'colliding';
SELECT count(*) FROM api.log();


---- an API that wants to be left alone for longer than max_retry_wait ends the batch, and the call waits between transactions
CALL api.clear();
CALL api.collection('items', 1, 25);
SELECT checkpoint_fdw.reset('items');
TRUNCATE target;
ALTER SERVER api OPTIONS (ADD max_retry_wait '100ms');
CALL api.overlay('/items', '{"3": {"status": 429, "headers": {"Retry-After": "1"}}, "4": {"status": 429, "headers": {"Retry-After": "1"}}}');
RESET client_min_messages;
INSERT INTO target SELECT * FROM items;
SELECT ids();
SELECT pending, not_before > now(), not_before < now() + '1 minute', failures FROM checkpoint_fdw.status WHERE foreign_table = 'items'::regclass;
-- where nothing was handed up it is an error
INSERT INTO target SELECT * FROM items;
SELECT * FROM api.log();
CALL api.overlay('/items', '{"2": {"status": 429, "headers": {"Retry-After": "1"}}}');
-- a peek that ended there would look complete
SELECT checkpoint_fdw.reset('items');
SELECT count(*) FROM items;
CALL api.overlay('/items', '{"2": {"status": 429, "headers": {"Retry-After": "1"}}, "4": {"status": 429, "headers": {"Retry-After": "2"}}}');
TRUNCATE target;
\set VERBOSITY terse
SELECT clock_timestamp() AS began \gset
CALL checkpoint_fdw.ingest('items', 'target');
SELECT clock_timestamp() - :'began' > '3 s';
SELECT ids();
SELECT pending, not_before, failures FROM checkpoint_fdw.status WHERE foreign_table = 'items'::regclass;
SELECT count(*) FROM api.log();
ALTER SERVER api OPTIONS (DROP max_retry_wait);
CALL api.clear();
CALL api.collection('items', 1, 25);


---- an idempotence key: a call that has been completed is not made again
RESET client_min_messages;
TRUNCATE target;
CALL api.collection('items', 1, 25);
SELECT checkpoint_fdw.reset('items');
\set VERBOSITY terse
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'monday');
CALL api.append('items', 26, 27);
SELECT count(*) FROM api.log();
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'monday');
SELECT * FROM api.log();
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'tuesday');
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'monday', consumer => 'other');
CALL checkpoint_fdw.ingest('known', 'target', idempotence_key => 'monday');
SELECT ids();
SELECT foreign_table, consumer, key, now() - completed_at < '1 minute' FROM checkpoint_fdw.completed_call ORDER BY completed_at;
-- a call that has failed, also after some batches, is not complete
CALL api.clear();
CALL api.collection('items', 1, 25);
SELECT checkpoint_fdw.reset('items');
CALL api.overlay('/items', '{"3": {"status": 400, "body": "no"}}');
TRUNCATE target;
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'friday');
SELECT count(*) FROM checkpoint_fdw.completed_call WHERE key = 'friday';
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'friday');
SELECT ids();
SELECT count(*) FROM checkpoint_fdw.completed_call WHERE key = 'friday';
SELECT count(*) FROM api.log();


---- run: any statement
SELECT checkpoint_fdw.reset('items');
CREATE TABLE merged (id int PRIMARY KEY, name text, seen int DEFAULT 1);
CALL checkpoint_fdw.run('MERGE INTO merged m USING items i ON i.id = m.id WHEN MATCHED THEN UPDATE SET seen = seen + 1 WHEN NOT MATCHED THEN INSERT (id, name) VALUES (i.id, i.name)', batch_pages => 2);
SELECT count(*), sum(seen) FROM merged;
SELECT * FROM api.log();
CALL checkpoint_fdw.run('MERGE INTO merged m USING items i ON i.id = m.id WHEN MATCHED THEN UPDATE SET seen = seen + 1 WHEN NOT MATCHED THEN INSERT (id, name) VALUES (i.id, i.name)', batch_pages => 2);
SELECT count(*) FROM api.log();
-- two tables in one statement
SELECT checkpoint_fdw.reset('known');
TRUNCATE target;
CALL checkpoint_fdw.run('INSERT INTO target SELECT id, name FROM known UNION ALL SELECT id, name FROM items', 'both', 1);
SELECT ids();
SELECT count(*) FROM api.log();
-- a statement that touches no checkpoint, or reads only
CALL checkpoint_fdw.run('CREATE TABLE made ()');
CALL checkpoint_fdw.run('SELECT count(*) FROM items', 'peek');
CALL checkpoint_fdw.run('INSERT INTO target SELECT * FROM plain');
SELECT count(*) FROM api.log();
SELECT current_setting('checkpoint_fdw.batch_pages'), current_setting('checkpoint_fdw.consumer');
-- failures
CALL checkpoint_fdw.run('INSERT INTO picky SELECT id + 0, name FROM items', 'run fails', 1);
SELECT position_text, failures, last_error FROM checkpoint_fdw.status WHERE consumer = 'run fails';
CALL checkpoint_fdw.run('COMMIT');
SELECT count(*) FROM api.log();
-- a key goes with the command
TRUNCATE target;
CALL checkpoint_fdw.run('INSERT INTO target SELECT id, name FROM items', 'keyed', idempotence_key => 'monday');
CALL checkpoint_fdw.run('INSERT INTO target SELECT id, name FROM items', 'keyed', idempotence_key => 'monday');
CALL checkpoint_fdw.run('INSERT INTO target SELECT id, name FROM known', 'keyed', idempotence_key => 'monday');
SELECT ids();
SELECT count(*) FROM api.log();


---- who may, and under which search_path
CREATE ROLE regress_ingest_loader;
CREATE ROLE regress_ingest_reader;
CREATE SCHEMA traps;
-- every operator that there is for these types, as a trap
DO $$
DECLARE
	types regtype[] := '{text,integer,bigint,boolean,jsonb,double precision,"char",name,oid}';
	o record;
BEGIN
	FOR o IN SELECT oid, oprname, format_type(oprleft, NULL) AS l, format_type(oprright, NULL) AS r, format_type(oprresult, NULL) AS result
	         FROM pg_operator WHERE oprkind = 'b' AND oprleft = ANY (types) AND oprright = ANY (types) AND oprnamespace = 'pg_catalog'::regnamespace
	LOOP
		EXECUTE format('CREATE FUNCTION traps.trap_%s(a %s, b %s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''a trap''; END $f$', o.oid, o.l, o.r, o.result);
		EXECUTE format('CREATE OPERATOR traps.%s (FUNCTION = traps.trap_%s, LEFTARG = %s, RIGHTARG = %s)', o.oprname, o.oid, o.l, o.r);
	END LOOP;
END $$;
GRANT USAGE ON SCHEMA traps TO PUBLIC;
GRANT SELECT ON items TO regress_ingest_reader;
GRANT SELECT, UPDATE ON items TO regress_ingest_loader;
GRANT INSERT, SELECT, UPDATE ON target, picky, merged TO regress_ingest_loader, regress_ingest_reader;
SELECT checkpoint_fdw.reset('items');
TRUNCATE picky, target;
SET ROLE regress_ingest_reader;
\set VERBOSITY default
CALL checkpoint_fdw.ingest('items', 'target');
\echo :LAST_ERROR_SQLSTATE
CALL checkpoint_fdw.run('INSERT INTO target SELECT * FROM items');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT count(*) FROM api.log();
SET ROLE regress_ingest_loader;
SET search_path = traps, pg_catalog;
SELECT 1 = 1;
\set VERBOSITY terse
CALL checkpoint_fdw.ingest('public.items', 'public.target', batch_pages => 2, idempotence_key => 'traps');
CALL checkpoint_fdw.ingest('public.items', 'public.target', idempotence_key => 'traps');
SET client_min_messages = warning;
CALL checkpoint_fdw.ingest('public.items', 'public.picky', consumer => 'traps', on_error => 'reject', conflict => 'update', filter => 'id OPERATOR(pg_catalog.<>) 9');
CALL checkpoint_fdw.run('INSERT INTO public.target SELECT * FROM public.items', 'traps run', idempotence_key => 'traps');
CALL checkpoint_fdw.ingest('public.items', 'public.picky', consumer => 'traps fail', conflict => 'nothing');
SELECT count(*) FROM checkpoint_fdw.status;
SELECT count(*) FROM checkpoint_fdw.rejected;
RESET client_min_messages;
RESET search_path;
RESET ROLE;
SELECT ids(), ids('picky');
SELECT count(*) FROM api.log();
DROP OWNED BY regress_ingest_loader, regress_ingest_reader;
DROP ROLE regress_ingest_loader, regress_ingest_reader;
