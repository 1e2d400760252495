-- CALL ingest with partitions: a transaction for each value of the param columns, and each batch.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE TABLE target (list text, id int, name text);
CREATE FUNCTION loaded() RETURNS SETOF text BEGIN ATOMIC
	SELECT list || ' ' || api.runs(array_agg(id ORDER BY ctid)) FROM target GROUP BY list ORDER BY list;
END;
CREATE FUNCTION stands(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT concat_ws(', ', partition, position_text, CASE WHEN pending THEN 'pending' END, failures || ' failures', last_error)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass ORDER BY partition;
END;

CALL api.collection('a', 1, 5);
CALL api.collection('b', 11, 13);
CALL api.collection('c', 21, 21);
CREATE FOREIGN TABLE lists (list text OPTIONS (param 'list'), id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/{list}', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE names (name text, wanted boolean DEFAULT true);
INSERT INTO names VALUES ('c', true), ('a', true), ('b', true), ('nobody', false), (NULL, true);

---- in the order of the query, each in transactions of its own
CALL checkpoint_fdw.ingest('lists', 'target', partitions => 'SELECT name AS list FROM names WHERE wanted', batch_pages => 2);
SELECT loaded();
SELECT stands('lists');
SELECT * FROM api.log();
SELECT partition, count(*), count(DISTINCT xid) FROM checkpoint_fdw.batches GROUP BY partition ORDER BY partition;
CALL api.append('b', 14, 14);
CALL checkpoint_fdw.ingest('lists', 'target', partitions => 'SELECT name AS list FROM names WHERE wanted;');
SELECT * FROM api.log();
-- with a filter: records that it drops have been used
SELECT checkpoint_fdw.reset('lists');
TRUNCATE target;
CALL checkpoint_fdw.ingest('lists', 'target', filter => 'id % 2 = 1', partitions => $$SELECT 'a' AS list$$);
-- the filter alone can name the partition, and several
CALL checkpoint_fdw.ingest('lists', 'target', filter => $$list = 'b'$$);
CALL checkpoint_fdw.ingest('lists', 'target', filter => $$list IN ('a', 'b', 'c')$$, batch_pages => 1);
SELECT loaded();
SELECT count(*) FROM api.log();
\set VERBOSITY default
CALL checkpoint_fdw.ingest('lists', 'target');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM api.log();

---- a partition that fails is recorded, the others go on, and the first error is raised at the end
\set VERBOSITY terse
SELECT checkpoint_fdw.reset('lists');
TRUNCATE target;
ALTER TABLE target ADD CHECK (id <> 13), ADD CHECK (list <> 'c');
CALL checkpoint_fdw.ingest('lists', 'target', partitions => $$VALUES ('b'), ('nobody'), ('a'), ('c')$$);
CALL checkpoint_fdw.ingest('lists', 'target', partitions => $$SELECT * FROM (VALUES ('b'), ('nobody'), ('a'), ('c')) v (list)$$, batch_pages => 1, idempotence_key => 'monday');
\echo :LAST_ERROR_SQLSTATE
SELECT loaded();
SELECT stands('lists');
SELECT count(*) FROM checkpoint_fdw.completed_call;
ALTER TABLE target DROP CONSTRAINT target_id_check, DROP CONSTRAINT target_list_check;
CALL checkpoint_fdw.ingest('lists', 'target', partitions => $$SELECT * FROM (VALUES ('b'), ('a'), ('c')) v (list)$$, idempotence_key => 'monday');
CALL checkpoint_fdw.ingest('lists', 'target', partitions => $$SELECT * FROM (VALUES ('b'), ('a'), ('c')) v (list)$$, idempotence_key => 'monday');
SELECT loaded();
SELECT stands('lists');
SELECT count(*) FROM api.log();

---- rows that the target refuses, and values of other types
CREATE FOREIGN TABLE days (day date OPTIONS (param 'day'), n numeric OPTIONS (param 'n'), id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/day', params 'day={day}&n={n}', checkpoint 'cursor', pagination 'none');
CREATE TABLE day_target (day date, n numeric, id int CHECK (id <> 2));
CALL api.script('/day?day=2024-05-01&n=1.5', '[{"json": [{"id": 1}, {"id": 2}, {"id": 3}]}]', repeat => true);
CALL api.script('/day?day=2024-05-02&n=2', '[{"json": [{"id": 2}, {"id": 4}]}]', repeat => true);
SET client_min_messages = warning;
SET datestyle = 'German';
CALL checkpoint_fdw.ingest('days', 'day_target', partitions => $$SELECT date '2024-05-01' AS day, 1.50 AS n UNION ALL SELECT '2024-05-02', 2$$, on_error => 'reject');
RESET datestyle;
SELECT day, n, id FROM day_target ORDER BY id;
SELECT partition, record FROM checkpoint_fdw.rejected ORDER BY id;
SELECT stands('days');
SELECT count(*) FROM api.log();

---- many
CREATE FOREIGN TABLE numbers (list int OPTIONS (param 'list'), id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/number', records_path '/data', headers '{"X-List": "{list}"}', checkpoint 'cursor', cursor_path '/next', cursor_param 'cursor');
CALL api.script('/number', '[{"json": {"data": [{"id": 1}, {"id": 2}]}}]', repeat => true);
CREATE TABLE number_target (list int, id int);
CALL checkpoint_fdw.ingest('numbers', 'number_target', partitions => 'SELECT i AS list FROM generate_series(1, 1000) i');
SELECT count(*), count(DISTINCT list) FROM number_target;
SELECT count(*), count(DISTINCT xid) FROM checkpoint_fdw.batches WHERE foreign_table = 'numbers'::regclass;
SELECT count(*) FROM api.log();
