-- on_record_error 'reject': a record that does not fit the columns goes among the dead letters, and the walk goes on.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE TABLE target (id int, name text);
CREATE FUNCTION rejected(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT concat_ws(' ', consumer, 'key ' || key, record, sqlstate, error, CASE WHEN corrected IS NOT NULL THEN 'corrected' END)
	FROM checkpoint_fdw.rejected WHERE foreign_table = source::regclass ORDER BY rejected.id;
END;
CREATE FUNCTION batches(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT format('%s records, %s skipped, %s rejected', records, skipped, rejected)
	FROM checkpoint_fdw.batches WHERE foreign_table = source::regclass ORDER BY batch;
END;
CREATE FUNCTION stands(source text) RETURNS text BEGIN ATOMIC
	SELECT format('%s, %s keys, %s rejected', position_text, keys, rejected) FROM checkpoint_fdw.status WHERE foreign_table = source::regclass;
END;

---- mode cursor
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": 10}, {"id": 2, "name": "two"}, {"id": 3, "name": 30}], "next": "b"}}, {"json": {"data": [{"id": 4, "name": "four"}, {"id": 5, "name": 50}]}}]');
CREATE FOREIGN TABLE list (id int OPTIONS (key 'true'), name int) SERVER api
  OPTIONS (endpoint '/list', records_path '/data', cursor_path '/next', cursor_param 'cursor', checkpoint 'cursor', on_record_error 'reject');
SELECT api.load('list');
SELECT * FROM target ORDER BY id;
SELECT rejected('list');
SELECT batches('list');
SELECT stands('list');
-- the last page again: the same bytes are dropped, and nobody hears of them
CALL api.script('/list', '[{"json": {"data": [{"id": 4, "name": "four"}, {"id": 5, "name": 50}]}}, {"json": {"data": [{"id": 4, "name": "four"}, {"id": 5, "name": 50}, {"id": 6, "name": 60}]}}]');
SELECT api.load('list');
SELECT api.load('list');
SELECT batches('list');
-- other bytes are tried again: once more in vain, then put right, and then known
CALL api.script('/list', '[{"json": {"data": [{"id": 4, "name": "FOUR"}, {"id": 5, "name": "other bytes"}]}}, {"json": {"data": [{"id": 4, "name": "four"}, {"id": 4, "name": "FOUR"}]}},
                           {"json": {"data": [{"id": 4, "name": 40}, {"id": 4, "name": 41}, {"id": 7, "name": 70}]}}, {"json": {"data": [{"id": 4, "name": 42}]}}]');
SELECT api.load('list');
SELECT api.load('list');
SELECT api.load('list');
SELECT api.load('list');
SELECT * FROM target ORDER BY id;
SELECT rejected('list');
SELECT batches('list');
SELECT stands('list');
-- rewind takes back what was rejected, and what was put right
SELECT checkpoint_fdw.rewind(max(batch)) FROM checkpoint_fdw.batches WHERE foreign_table = 'list'::regclass;
SELECT rejected('list');
SELECT checkpoint_fdw.rewind(min(batch)) FROM checkpoint_fdw.batches WHERE foreign_table = 'list'::regclass;
SELECT rejected('list');

---- a load that is rolled back rejects nothing
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": "one"}]}}]', repeat => true);
BEGIN;
SELECT api.load('list');
SELECT rejected('list');
ROLLBACK;
SELECT rejected('list');
-- a load of nothing but rejected records is a batch
SELECT api.load('list');
SELECT batches('list');
SELECT rejected('list');
-- a consumer of its own
SET checkpoint_fdw.consumer = 'other';
SELECT api.load('list');
RESET checkpoint_fdw.consumer;
SELECT rejected('list');
SELECT checkpoint_fdw.reset('list', 'other');
SELECT rejected('list');

---- who only looks passes over them, with a WARNING, and writes nothing
SELECT checkpoint_fdw.reset('list');
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": 10}, {"id": 2, "name": "two"}, {"id": 2, "name": "two"}, {"id": 3, "name": "three"}]}}]', repeat => true);
SELECT * FROM list;
SELECT rejected('list');
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": 10}, {"id": 2, "name": "two"}]}}]', repeat => true);
SELECT api.read('list');
BEGIN READ ONLY;
SELECT count(*) FROM list;
COMMIT;
CREATE MATERIALIZED VIEW view AS SELECT * FROM list;
SELECT * FROM view;
SELECT id FROM list;
SELECT count(*) FROM api.log();
SELECT api.load('list');
SELECT stands('list');
-- no longer after a load has kept it
SELECT * FROM list;

---- LIMIT behind a rejected record
SELECT checkpoint_fdw.reset('list');
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": "one"}, {"id": 2, "name": 2}, {"id": 3, "name": "three"}, {"id": 4, "name": 4}]}}]', repeat => true);
SELECT api.load('list', 'LIMIT 1');
SELECT stands('list');
SELECT api.load('list', 'LIMIT 1');
SELECT api.load('list');
SELECT rejected('list');
SELECT batches('list');

---- what is no fault of the record's data, or of its key, is an error
SELECT checkpoint_fdw.reset('list');
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": 10}, {"id": "two", "name": 20}]}}, {"json": {"data": [{"id": null, "name": 10}]}}, {"json": {"data": [{"name": 10}]}},
                           {"json": {"data": ["no object"]}}, {"status": 500}]');
SELECT api.fails('INSERT INTO target SELECT * FROM list');
SELECT api.fails('INSERT INTO target SELECT * FROM list');
SELECT api.fails('INSERT INTO target SELECT * FROM list');
SELECT api.fails('INSERT INTO target SELECT * FROM list');
SELECT rejected('list');
CALL api.script('/list', '[{"json": {"data": [{"id": 1, "name": "one"}]}}]', repeat => true);
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
CREATE TABLE big AS SELECT generate_series(1, 1000) AS n;
ANALYZE big;
SELECT * FROM list, (SELECT count(*) FROM big) b;
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
SELECT count(*) FROM api.log();

---- every way in which a record can fail to fit
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE FOREIGN TABLE wide (id int OPTIONS (key 'true'), name text NOT NULL, at timestamptz, n positive, doc jsonb, short varchar(3)) SERVER api
  OPTIONS (endpoint '/wide', checkpoint 'cursor', on_record_error 'reject');
CREATE TABLE wide_target (LIKE wide);
CALL api.script('/wide', '[{"body": "[{\"id\": 1, \"name\": \"a\"}, {\"id\": 2}, {\"id\": 3, \"name\": \"c\", \"at\": \"yesterday noon\"}, {\"id\": 4, \"name\": \"d\", \"n\": 0}, {\"id\": 5, \"name\": \"e\", \"n\": 99999999999}, {\"id\": 6, \"name\": \"f\\u0000\"}, {\"id\": 7, \"name\": \"g\", \"doc\": {\"a\": \"\\ud800\"}}, {\"id\": 8, \"name\": \"h\", \"short\": \"long\"}, {\"id\": 9, \"name\": \"i\"}]"}]');
INSERT INTO wide_target SELECT * FROM wide;
SELECT id FROM wide_target ORDER BY id;
SELECT rejected('wide');
-- bytes that are no text
SELECT encode('[{"id": 10, "name": "'::bytea || '\xff'::bytea || '"}]'::bytea, 'base64') AS bytes \gset
SELECT json_build_array(json_build_object('base64', :'bytes')) AS script \gset
CALL api.script('/wide', :'script');
INSERT INTO wide_target SELECT * FROM wide;
SELECT key, record, sqlstate FROM checkpoint_fdw.rejected WHERE key = '10';
SELECT length(record) FROM checkpoint_fdw.rejected_record WHERE key = '10';
-- what nobody wants is not looked at
SELECT checkpoint_fdw.reset('wide');
CALL api.script('/wide', '[{"json": [{"id": 1, "name": "a", "at": "nonsense"}]}]');
INSERT INTO wide_target (id, name) SELECT id, name FROM wide;
SELECT count(*) FROM rejected('wide');
SELECT count(*) FROM api.log();

---- modes in which a record may come again at any place
CREATE FOREIGN TABLE known (id int OPTIONS (key 'true'), name int NOT NULL) SERVER api
  OPTIONS (endpoint '/known', checkpoint 'keys', on_record_error 'reject');
CALL api.script('/known', '[{"json": [{"id": 1, "name": 10}, {"id": 2, "name": "two"}, {"id": 3}]}, {"json": [{"id": 1, "name": 10}, {"id": 2, "name": "two"}, {"id": 3}]},
                            {"json": [{"id": 1, "name": 10}, {"id": 2, "name": "zwei"}, {"id": 3, "name": 30}]}, {"json": [{"id": 1, "name": "changed"}, {"id": 2, "name": 20}, {"id": 2, "name": 21}, {"id": 3}]},
                            {"json": [{"id": 2, "name": "two"}, {"id": 2, "name": 22}, {"id": 3, "name": 31}]}]');
TRUNCATE target;
SELECT api.load('known');
SELECT api.load('known');
SELECT api.load('known');
SELECT api.load('known');
SELECT api.load('known');
SELECT * FROM target ORDER BY id;
SELECT rejected('known');
SELECT batches('known');
SELECT stands('known');
-- corrected in the statement that rejected it
SELECT checkpoint_fdw.reset('known');
CALL api.script('/known', '[{"json": [{"id": 1, "name": "one"}, {"id": 2, "name": 20}, {"id": 1, "name": 10}]}, {"json": [{"id": 1, "name": 10}, {"id": 2, "name": 20}, {"id": 1, "name": "one"}]}]');
SELECT api.load('known');
SELECT api.load('known');
SELECT rejected('known');
-- a fork has the same dead letters, and takes what puts them right
SELECT checkpoint_fdw.reset('known');
CALL api.script('/known', '[{"json": [{"id": 1, "name": "one"}]}, {"json": [{"id": 1, "name": 10}]}, {"json": [{"id": 1, "name": 10}]}]');
SELECT api.load('known');
SELECT checkpoint_fdw.fork('known', 'default', 'other');
SELECT api.load('known');
SET checkpoint_fdw.consumer = 'other';
SELECT api.load('known');
RESET checkpoint_fdw.consumer;
SELECT rejected('known');
-- everything once more, from the beginning
SELECT checkpoint_fdw.reset('known');
CALL api.script('/known', '[{"json": [{"id": 1, "name": "one"}, {"id": 2, "name": 20}]}]', repeat => true);
SELECT api.load('known');
SET checkpoint_fdw.start = beginning;
SELECT api.load('known');
RESET checkpoint_fdw.start;
SELECT rejected('known');
SELECT batches('known');

-- with timestamps: the next version has another one
CREATE FOREIGN TABLE changes (id int OPTIONS (key 'true'), name int, at timestamptz) SERVER api
  OPTIONS (endpoint '/changes', checkpoint 'timestamp', timestamp_column 'at', timestamp_param 'since', on_record_error 'reject');
CALL api.script('/changes', '[{"json": [{"id": 1, "name": 10, "at": "2024-01-01T00:00:01Z"}, {"id": 2, "name": "two", "at": "2024-01-01T00:00:02Z"}]},
                              {"json": [{"id": 2, "name": "two", "at": "2024-01-01T00:00:02Z"}]},
                              {"json": [{"id": 2, "name": "two", "at": "2024-01-01T00:00:02Z"}, {"id": 1, "name": "one", "at": "2024-01-01T00:00:03Z"}, {"id": 2, "name": 20, "at": "2024-01-01T00:00:04Z"}]},
                              {"json": [{"id": 1, "name": 11, "at": "2024-01-01T00:00:03Z"}, {"id": 2, "name": 21, "at": "2024-01-01T00:00:04Z"}, {"id": 3, "name": 30, "at": "2024-01-01T00:00:04Z"}]},
                              {"json": [{"id": 4, "name": 40, "at": "not at all"}]}]');
TRUNCATE target;
SELECT api.load('changes');
SELECT stands('changes');
SELECT api.load('changes');
SELECT api.load('changes');
SELECT api.load('changes');
SELECT * FROM target ORDER BY id, name;
SELECT rejected('changes');
SELECT batches('changes');
SELECT stands('changes');
SELECT api.fails('INSERT INTO target SELECT id, name FROM changes');

-- pages by number: a rejected record is one of those with which the page must begin
CALL api.script('/pages?page=1', '[{"json": [{"id": 1, "name": "one"}, {"id": 2, "name": 20}]}, {"json": [{"id": 1, "name": "one"}, {"id": 2, "name": 20}, {"id": 3, "name": "three"}]}, {"json": [{"id": 1, "name": 10}, {"id": 2, "name": 20}, {"id": 3, "name": 30}]}]');
CALL api.script('/pages?page=2', '[{"json": []}]', repeat => true);
CREATE FOREIGN TABLE pages (id int OPTIONS (key 'true'), name int) SERVER api
  OPTIONS (endpoint '/pages', page_param 'page', checkpoint 'offset', on_record_error 'reject');
TRUNCATE target;
SELECT api.load('pages');
SELECT api.load('pages');
SELECT api.load('pages');
SELECT rejected('pages');
-- and by offset, the last one may be rejected
CALL api.script('/offsets?start=0', '[{"json": [{"id": 1, "name": 10}, {"id": 2, "name": "two"}]}]', repeat => true);
CALL api.script('/offsets?start=1', '[{"json": [{"id": 2, "name": "two"}]}, {"json": [{"id": 2, "name": "two"}, {"id": 3, "name": 30}]}]');
CALL api.script('/offsets?start=2', '[{"json": [{"id": 3, "name": 30}]}]', repeat => true);
CREATE FOREIGN TABLE offsets (id int OPTIONS (key 'true'), name int) SERVER api
  OPTIONS (endpoint '/offsets', offset_param 'start', checkpoint 'offset', on_record_error 'reject');
SELECT api.load('offsets');
SELECT api.load('offsets');
SELECT rejected('offsets');

-- without key columns it is known by its bytes
CREATE FOREIGN TABLE bare (id int, name int) SERVER api OPTIONS (endpoint '/bare', checkpoint 'cursor', on_record_error 'reject');
CALL api.script('/bare', '[{"json": [{"id": 1, "name": "one"}, {"id": "two", "name": 20}, {"id": 3, "name": 30}]}, {"json": [{"id": 1, "name": "one"}, {"id": 2, "name": 20}, {"id": 3, "name": 30}]}]');
SELECT api.load('bare');
SELECT api.load('bare');
SELECT count(*), count(corrected) FROM checkpoint_fdw.rejected WHERE foreign_table = 'bare'::regclass;


---- dead letters that have been dealt with
CREATE ROLE regress_reject_reader;
GRANT SELECT ON changes TO regress_reject_reader;
SET ROLE regress_reject_reader;
SELECT count(*) FROM checkpoint_fdw.rejected;
SELECT DISTINCT foreign_table FROM checkpoint_fdw.rejected;
SELECT api.fails($$SELECT checkpoint_fdw.discard_rejected('changes')$$);
RESET ROLE;
SELECT checkpoint_fdw.discard_rejected('changes', (SELECT min(id) FROM checkpoint_fdw.rejected WHERE foreign_table = 'changes'::regclass));
SELECT checkpoint_fdw.discard_rejected('changes', consumer => 'nobody');
SELECT rejected('changes');
SELECT checkpoint_fdw.discard_rejected('changes');
SELECT rejected('changes');
SELECT count(*) > 0 FROM rejected('pages');
DROP OWNED BY regress_reject_reader;
DROP ROLE regress_reject_reader;
