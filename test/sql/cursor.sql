-- Checkpoint 'cursor': where a load goes on, and which records are known (DESIGN 2.1).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');      -- else a load that stops early may have asked for one page more
CREATE TABLE target (id int, name text);

-- Where a stream stands: page and next of its position, keys, whether more is pending, whether the end has been seen.
CREATE FUNCTION stands(source text) RETURNS text BEGIN ATOMIC
	SELECT concat_ws(' ', position - 'loop', keys || ' keys', CASE WHEN pending THEN 'pending' END, CASE WHEN checked_at IS NOT NULL THEN 'end seen' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass;
END;
CREATE FUNCTION batches(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT format('%s records, %s skipped, %s pages, %s requests', records, skipped, pages, requests)
	FROM checkpoint_fdw.batches WHERE foreign_table = source::regclass ORDER BY batch;
END;


---- LIMIT 7 on pages of 10, then the rest
CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
SELECT api.load('items', 'LIMIT 7');
SELECT stands('items');
-- a look at what is pending takes nothing
SELECT api.read('items');
SELECT api.load('items', 'LIMIT 0');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
SELECT batches('items');
-- nothing new: no batch
SELECT api.load('items');
SELECT stands('items');
SELECT batches('items') OFFSET 2;

---- page after page of seven
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 7');
SELECT api.load('items', 'LIMIT 7');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 7');
SELECT api.load('items', 'LIMIT 7');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 7');

---- LIMIT at the edge of a page: nothing of that page is asked again
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 10');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 10');
SELECT stands('items');
-- at the last record: that was the end, although nobody asked beyond it
SELECT api.load('items', 'LIMIT 5');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');

---- records appended while a walk is open, and behind its end
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 7');
CALL api.append('items', 26, 32);
SELECT api.load('items', 'LIMIT 20');
CALL api.append('items', 33, 33);
SELECT api.load('items');
CALL api.append('items', 34, 40);
SELECT api.load('items');
SELECT stands('items');
-- the last page is full: the next one begins behind it
CALL api.append('items', 41, 41);
SELECT api.load('items');
SELECT stands('items');

SET client_min_messages = error;         -- no record has a name from here on
---- a record of the last page that has changed, or gone, is no news
CALL api.script('/items', '[{"json": {"data": [{"id": 41, "name": "new"}]}}, {"json": {"data": [{"id": 42}]}}, {"json": {"data": []}}, {"json": {"data": [{"id": 43}], "next_cursor": "z"}},
                            {"json": {"data": [{"id": 44}]}}]');
SELECT api.load('items');
SELECT api.load('items');
-- nor is a last page that is empty the end of the stream
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');

---- a page without records is never the page to go on from
CALL api.script('/empty', '[{"json": {"data": []}}, {"json": {"data": []}}, {"json": {"data": [{"id": 1}], "next": "b"}}, {"json": {"data": [], "next": "c"}}, {"json": {"data": [{"id": 2}], "next": "d"}},
                            {"json": {"data": []}}]');
CREATE FOREIGN TABLE empty (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/empty', records_path '/data', cursor_path '/next', cursor_param 'cursor', checkpoint 'cursor');
SELECT api.load('empty');
SELECT stands('empty');
SELECT api.load('empty');
SELECT api.load('empty');
SELECT stands('empty');
-- the token changes while the page is read again
CALL api.script('/empty', '[{"json": {"data": [{"id": 2}], "next": "e"}}, {"json": {"data": [{"id": 3}], "next": "f"}}, {"status": 204}]');
SELECT api.load('empty');
SELECT stands('empty');

---- a record comes once, however often it is served: on one page, on the next page, also in the next statement
CALL api.script('/overlap?n=1', '[{"json": {"data": [{"id": 1}, {"id": 2}, {"id": 1}, {"id": 3}], "next": "?n=2"}}]', repeat => true);
CALL api.script('/overlap?n=2', '[{"json": {"data": [{"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}], "next": "?n=3"}}]', repeat => true);
CALL api.script('/overlap?n=3', '[{"json": {"data": [{"id": 5}, {"id": 6}]}}]', repeat => true);
CREATE FOREIGN TABLE overlap (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/overlap', params 'n=1', records_path '/data', next_url_path '/next', checkpoint 'cursor');
SELECT api.load('overlap');
SELECT batches('overlap');
SELECT checkpoint_fdw.reset('overlap');
SELECT api.load('overlap', 'LIMIT 3');
SELECT stands('overlap');
SELECT api.load('overlap', 'LIMIT 1');
SELECT stands('overlap');
SELECT api.load('overlap', 'LIMIT 1');
SELECT stands('overlap');
SELECT api.load('overlap');

---- a stored page that fails: nothing moves
SELECT checkpoint_fdw.reset('overlap');
SELECT api.load('overlap', 'LIMIT 3');
CALL api.overlay('/overlap?n=2', '{"1": {"status": 400}}');
SELECT api.fails('INSERT INTO target SELECT * FROM overlap');
SELECT stands('overlap');
CALL api.overlay('/overlap?n=2', '{}', '{"json": {"data": [{"id": 2}, {"id": 7}]}}');
SELECT api.load('overlap');


---- without key columns: a record is known by its bytes, and by its number among equal records of its page
CREATE FOREIGN TABLE bare (id int, name text) SERVER api
  OPTIONS (endpoint '/bare', records_path '/data', cursor_path '/next', cursor_param 'cursor', checkpoint 'cursor');
CALL api.script('/bare', '[{"json": {"data": [{"id": 1}, {"id": 1}, {"id": 2}], "next": "b"}}, {"json": {"data": [{"id": 1}, {"id": 2}]}}]');
SELECT api.load('bare', 'LIMIT 1');
SELECT stands('bare');
CALL api.script('/bare', '[{"json": {"data": [{"id": 1}, {"id": 1}, {"id": 2}], "next": "b"}}, {"json": {"data": [{"id": 1}, {"id": 2}]}}]');
SELECT api.load('bare');
SELECT stands('bare');
CALL api.script('/bare', '[{"json": {"data": [{"id": 1}, {"id": 2}]}}]');
SELECT api.load('bare');
-- appended: one that is there already, and new ones
CALL api.script('/bare', '[{"json": {"data": [{"id": 1}, {"id": 2}, {"id": 1}, {"id": 3}]}}]');
SELECT api.load('bare');
-- other bytes are another record
CALL api.script('/bare', '[{"json": {"data": [{"id": 1}, {"id": 2}, {"id": 1}, {"id": 3, "more": 1}]}}]');
SELECT api.load('bare');
SELECT stands('bare');


---- keys of several columns, of any type and length
CREATE FOREIGN TABLE keyed (id int OPTIONS (key 'true'), name text OPTIONS (key 'true'), at timestamptz OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/keyed', checkpoint 'cursor');
CALL api.script('/keyed', '[{"json": [{"id": 1, "name": "a", "at": "2024-01-01T00:00:00Z"}, {"id": 1, "name": "b", "at": "2024-01-01T00:00:00Z"}, {"id": 1, "name": "a", "at": "2024-01-01T00:00:01Z"}]}]');
SELECT api.load('keyed');
SELECT key FROM checkpoint_fdw.delivered_key JOIN checkpoint_fdw.checkpoint c ON c.id = checkpoint_id WHERE foreign_table = 'keyed'::regclass ORDER BY key;
-- the same instant, written in another way and read in another time zone
SET timezone = 'Asia/Tokyo';
SET datestyle = 'SQL, DMY';
CALL api.script('/keyed', '[{"json": [{"at": "2024-01-01T01:00:00+01:00", "name": "a", "id": 1.0e0}, {"id": 1, "name": "B", "at": "2024-01-01T00:00:00Z"}]}]');
SELECT api.load('keyed');
RESET timezone;
RESET datestyle;
SELECT key FROM checkpoint_fdw.delivered_key JOIN checkpoint_fdw.checkpoint c ON c.id = checkpoint_id WHERE foreign_table = 'keyed'::regclass ORDER BY key;
-- a null in one of them names no record
CALL api.script('/keyed', '[{"json": [{"id": 99, "name": "a", "at": "2024-01-01T00:00:00Z"}, {"id": 99, "name": null, "at": "2024-01-01T00:00:00Z"}]}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM keyed');
CALL api.script('/keyed', '[{"json": [{"id": 99, "at": "2024-01-01T00:00:00Z"}]}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM keyed');
SELECT count(*) FROM target WHERE id = 99;
CALL api.script('/keyed', '[{"json": [{"id": 99, "name": "a", "at": "2024-01-01T00:00:00Z"}]}]');
SELECT api.load('keyed');
-- long ones are hashed, and still tell records apart
CREATE FOREIGN TABLE long_keyed (id int, name text OPTIONS (key 'true')) SERVER api OPTIONS (endpoint '/long', records_path '/data', checkpoint 'cursor');
SELECT json_agg(json_build_object('id', i, 'name', repeat('x', 1000) || i)) AS records FROM generate_series(1, 3) i \gset
CALL api.collection('long', :'records');
SELECT api.load('long_keyed');
SELECT json_agg(json_build_object('id', i, 'name', repeat('x', 1000) || i)) AS records FROM generate_series(1, 5) i \gset
CALL api.collection('long', :'records');
SELECT api.load('long_keyed');
SELECT max(length(key)) FROM checkpoint_fdw.delivered_key;
