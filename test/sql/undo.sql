-- Rows that are stamped with their batch can be undone: DELETE and rewind, in one transaction.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
\set VERBOSITY terse
ALTER SERVER api OPTIONS (ADD prefetch '0');
CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text, batch bigint OPTIONS (source 'batch')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int PRIMARY KEY, name text, batch bigint);
CREATE FUNCTION ids() RETURNS SETOF text BEGIN ATOMIC
	SELECT format('batch %s: %s', batch - min(batch) OVER () + 1, api.runs(array_agg(id ORDER BY ctid))) FROM target GROUP BY batch ORDER BY batch;
END;

-- every row of a batch has its number, and that of the commit log
CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 1);
SELECT ids();
SELECT count(*) FROM target JOIN checkpoint_fdw.batches b USING (batch) WHERE b.foreign_table = 'items'::regclass;
CALL api.append('items', 26, 27);
INSERT INTO target SELECT * FROM items;
SELECT ids();
-- who only looks sees none, and draws none
CALL api.append('items', 28, 28);
SELECT * FROM items;
SELECT count(*) FROM api.log();

-- undo the second batch and all that came later
SELECT batch AS wrong FROM target WHERE id = 11 \gset
BEGIN;
DELETE FROM target WHERE batch >= :wrong;
SELECT checkpoint_fdw.rewind(:wrong);
COMMIT;
SELECT ids();
SELECT count(*) FROM checkpoint_fdw.batches;
CALL checkpoint_fdw.ingest('items', 'target');
SELECT ids();
SELECT * FROM api.log();

-- both or nothing
SELECT max(batch) AS wrong FROM target \gset
BEGIN;
DELETE FROM target WHERE batch >= :wrong;
SELECT checkpoint_fdw.rewind(:wrong);
ROLLBACK;
SELECT ids();
INSERT INTO target SELECT * FROM items;
SELECT ids();

-- a batch that was rolled back leaves a gap, and its number is never used again
BEGIN;
CALL api.append('items', 29, 29);
INSERT INTO target SELECT * FROM items;
SELECT max(batch) AS lost FROM target \gset
ROLLBACK;
INSERT INTO target SELECT * FROM items;
SELECT max(batch) > :lost FROM target;
SELECT ids();
-- a statement that finds nothing new leaves no batch
INSERT INTO target SELECT * FROM items;
SELECT count(*) FROM checkpoint_fdw.batches;
SELECT count(*) FROM api.log();

-- in the mode keys, in which known records come again
CREATE FOREIGN TABLE known (id int OPTIONS (key 'true'), name text, batch bigint OPTIONS (source 'batch')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'keys');
TRUNCATE target;
CALL checkpoint_fdw.ingest('known', 'target', batch_pages => 2);
SELECT ids();
SELECT min(batch) + 1 AS wrong FROM target \gset
BEGIN;
DELETE FROM target WHERE batch >= :wrong;
SELECT checkpoint_fdw.rewind(:wrong);
COMMIT;
CALL checkpoint_fdw.ingest('known', 'target', batch_pages => 2);
SELECT ids();
SELECT count(*), count(DISTINCT id) FROM target;
SELECT count(*) FROM api.log();
-- with partitions, each batch belongs to one: the others keep their rows and their position
CREATE FOREIGN TABLE lists (list text OPTIONS (param 'list'), id int OPTIONS (key 'true'), batch bigint OPTIONS (source 'batch')) SERVER api
  OPTIONS (endpoint '/{list}', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CALL api.collection('a', 1, 3);
CALL api.collection('b', 11, 12);
CREATE TABLE list_target (list text, id int, batch bigint);
INSERT INTO list_target SELECT * FROM lists WHERE list IN ('a', 'b');
SELECT list, count(DISTINCT batch) FROM list_target GROUP BY list ORDER BY list;
SELECT batch AS wrong FROM list_target WHERE list = 'a' LIMIT 1 \gset
BEGIN;
DELETE FROM list_target WHERE list = 'a' AND batch >= :wrong;
SELECT checkpoint_fdw.rewind(:wrong);
COMMIT;
INSERT INTO list_target SELECT * FROM lists WHERE list IN ('a', 'b');
SELECT list, api.runs(array_agg(id ORDER BY ctid)) FROM list_target GROUP BY list ORDER BY list;
SELECT * FROM api.log();
