-- Checkpoint 'offset': by offset, where each request begins one record early, and by page number (DESIGN 2.1).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');      -- else a load that stops early may have asked for one page more
CREATE TABLE target (id int, name text);

-- Where a stream stands.
CREATE FUNCTION stands(source text) RETURNS text BEGIN ATOMIC
	SELECT concat_ws(' ', position - 'loop', keys || ' keys', CASE WHEN pending THEN 'pending' END, CASE WHEN checked_at IS NOT NULL THEN 'end seen' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass;
END;


---- offset: LIMIT 7 on pages of 10, then the rest
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/offset', params 'limit=10', records_path '/data', offset_param 'offset', checkpoint 'offset');
CALL api.collection('items', 1, 25);
SELECT api.load('items', 'LIMIT 7');
SELECT stands('items');
SELECT api.read('items');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
CALL api.append('items', 26, 40);
SELECT api.load('items', 'LIMIT 7');
SELECT api.load('items', 'LIMIT 7');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 7');
SELECT stands('items');

---- at the edge of a page, and at the last record
SELECT checkpoint_fdw.reset('items');
CALL api.collection('items', 1, 20);
SELECT api.load('items', 'LIMIT 10');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 10');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
-- one record
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 1');
SELECT api.load('items', 'LIMIT 1');
SELECT stands('items');

---- an empty list that fills
SELECT checkpoint_fdw.reset('items');
CALL api.collection('items', '[]');
SELECT api.load('items');
SELECT stands('items');
CALL api.append('items', 1, 1);
SELECT api.load('items');
SELECT stands('items');

---- has_more saves the last question; an API may serve one record a page, or fewer than asked
CREATE FOREIGN TABLE flagged (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/flagged', records_path '/data', offset_param 'offset', has_more_path '/more', checkpoint 'offset');
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}, {"id": 2}, {"id": 3}], "more": true}}, {"json": {"data": [{"id": 3}, {"id": 4}], "more": true}},
                              {"json": {"data": [{"id": 4}, {"id": 5}, {"id": 6}], "more": false}}, {"json": {"data": [{"id": 6}], "more": false}}]');
SET client_min_messages = error;         -- no record has a name
SELECT api.load('flagged');
SELECT api.load('flagged');
-- a page that has nothing but the record before is not the end, if the API says so or may serve one record a page
CALL api.script('/flagged', '[{"json": {"data": [{"id": 6}, {"id": 7}, {"id": 8}], "more": true}}, {"json": {"data": [{"id": 8}], "more": true}},
                              {"json": {"data": [{"id": 9}, {"id": 10}], "more": false}}]');
SELECT api.load('flagged');
ALTER FOREIGN TABLE flagged OPTIONS (DROP has_more_path);
CALL api.script('/flagged', '[{"json": {"data": [{"id": 10}]}}, {"json": {"data": [{"id": 11}]}}, {"json": {"data": [{"id": 11}]}}, {"json": {"data": []}}]');
SELECT api.load('flagged');
RESET client_min_messages;
CALL api.collection('items', 1, 4);
CREATE FOREIGN TABLE single (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/offset', params 'limit=1', records_path '/data', offset_param 'offset', checkpoint 'offset');
SELECT api.load('single', 'LIMIT 2');
SELECT api.load('single');
CALL api.append('items', 5, 5);
SELECT api.load('single');

---- page_start: offsets that do not begin at 0
CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE from_four (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/offset', params 'limit=10', records_path '/data', offset_param 'offset', page_start '4', checkpoint 'offset');
SELECT api.load('from_four', 'LIMIT 3');
SELECT api.load('from_four');
SELECT stands('from_four');

---- the list has shifted: a record before the checkpoint has gone, or one was put in front
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 15');
CALL api.collection('items', 2, 25);
SELECT api.fails('INSERT INTO target SELECT * FROM items');
CALL api.collection('items', 0, 25);
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT api.fails('SELECT * FROM items');
SELECT stands('items');
-- it has become shorter
CALL api.collection('items', 1, 12);
SELECT api.fails('INSERT INTO target SELECT * FROM items');
-- in the middle of a load
CALL api.collection('items', 1, 25);
CALL api.script('/items/offset?limit=10&offset=23', '[{"json": {"data": [{"id": 25}, {"id": 26}]}}]');
SELECT api.fails('INSERT INTO target SELECT * FROM items');
-- while nothing of that has happened, all is well
SELECT api.load('items');

---- without key columns: the record before is known by its bytes
CREATE FOREIGN TABLE bare (id int, name text) SERVER api
  OPTIONS (endpoint '/bare/offset', params 'limit=3', records_path '/data', offset_param 'offset', checkpoint 'offset');
CALL api.collection('bare', '[{"id": 1}, {"id": 1}, {"id": 2}, {"id": 1}, {"id": 1}, {"id": 2}, {"id": 2}]');
SET client_min_messages = error;         -- no record has a name
SELECT api.load('bare', 'LIMIT 2');
SELECT stands('bare');
SELECT api.load('bare', 'LIMIT 2');
SELECT api.load('bare');
SELECT api.load('bare');
CALL api.collection('bare', '[{"id": 1}, {"id": 1}, {"id": 2}, {"id": 1}, {"id": 1}, {"id": 2}, {"id": 3}]');
SELECT api.fails('INSERT INTO target SELECT * FROM bare');
RESET client_min_messages;

---- a key that comes twice is handed up once, within a page and from one to the next
CREATE FOREIGN TABLE twice (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/twice/offset', params 'limit=3', records_path '/data', offset_param 'offset', checkpoint 'offset');
CALL api.collection('twice', '[{"id": 1, "name": "a"}, {"id": 1, "name": "b"}, {"id": 2, "name": "c"}, {"id": 2, "name": "d"}, {"id": 3, "name": "e"}]');
SELECT api.load('twice');
SELECT stands('twice');


---- page_number: LIMIT 7 on pages of 10, then the rest
CREATE FOREIGN TABLE pages (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/page', params 'per_page=10', records_path '/data', page_param 'page', checkpoint 'offset');
CALL api.collection('items', 1, 25);
SELECT api.load('pages', 'LIMIT 7');
SELECT stands('pages');
SELECT api.read('pages');
SELECT api.load('pages');
SELECT stands('pages');
SELECT api.load('pages');
CALL api.append('items', 26, 40);
SELECT api.load('pages', 'LIMIT 7');
SELECT stands('pages');
SELECT api.load('pages');
SELECT stands('pages');
-- the last page is full; what is appended begins a page of its own
CALL api.append('items', 41, 41);
SELECT api.load('pages');
SELECT stands('pages');

---- at the edge of a page: it is asked again when the next one turns out to have records, as it may have grown
SELECT checkpoint_fdw.reset('pages');
CALL api.collection('items', 1, 25);
SELECT api.load('pages', 'LIMIT 10');
SELECT stands('pages');
SELECT api.load('pages', 'LIMIT 10');
SELECT stands('pages');
SELECT api.load('pages');

---- a page that grew between the question for it and the one for the page behind it
CREATE FOREIGN TABLE grown (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/grown', page_param 'page', checkpoint 'offset');
CALL api.script('/grown?page=1', '[{"json": [{"id": 1}, {"id": 2}]}, {"json": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]}]');
CALL api.script('/grown?page=2', '[{"json": [{"id": 5}]}]', repeat => true);
CALL api.script('/grown?page=3', '[{"json": []}]', repeat => true);
SET client_min_messages = error;         -- no record has a name
SELECT api.load('grown');
SELECT stands('grown');
-- between two loads
CALL api.script('/grown?page=2', '[{"json": [{"id": 5}, {"id": 6}]}, {"json": [{"id": 5}, {"id": 6}, {"id": 7}, {"id": 8}]}]', repeat => true);
CALL api.script('/grown?page=3', '[{"json": [{"id": 9}, {"id": 10}, {"id": 11}, {"id": 12}]}]', repeat => true);
CALL api.script('/grown?page=4', '[{"json": []}]', repeat => true);
SELECT api.load('grown');
SELECT stands('grown');
-- a page of the length known as full is not asked again
CALL api.script('/grown?page=4', '[{"json": [{"id": 13}]}]', repeat => true);
CALL api.script('/grown?page=5', '[{"json": []}]', repeat => true);
SELECT api.load('grown');
RESET client_min_messages;

---- the list has shifted: the page at the checkpoint must begin with the records that were read from it
SELECT checkpoint_fdw.reset('pages');
CALL api.collection('items', 1, 25);
SELECT api.load('pages');
CALL api.collection('items', 0, 25);
SELECT api.fails('INSERT INTO target SELECT * FROM pages');
CALL api.collection('items', 1, 20);
SELECT api.fails('INSERT INTO target SELECT * FROM pages');
CALL api.collection('items', '[{"id": 1}]');
SELECT api.fails('INSERT INTO target SELECT * FROM pages');
SELECT api.fails('SELECT * FROM pages');
-- a new record among the known ones
CALL api.script('/items/page', '[{"json": {"data": [{"id": 21}, {"id": 22}, {"id": 99}, {"id": 23}, {"id": 24}, {"id": 25}]}}]');
SELECT api.fails('INSERT INTO target SELECT * FROM pages');
SELECT count(*) FROM target WHERE id = 99;
-- a record that has gone moves known ones to the page before, and that is all
CALL api.collection('items', 2, 26);
SELECT api.load('pages');
-- in the middle of a load, found when the page before is asked again
SELECT checkpoint_fdw.reset('pages');
CALL api.collection('items', 1, 25);
CALL api.overlay('/items/page', '{"1": {"replace": {"items": [{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}, {"id": 5}, {"id": 6}, {"id": 7}, {"id": 8}, {"id": 9}, {"id": 10}]}}}');
SELECT api.fails('INSERT INTO target SELECT * FROM pages');

---- page_start 0, no key columns: equal records of a page are told apart by their number
CREATE FOREIGN TABLE bare_pages (id int, name text) SERVER api
  OPTIONS (endpoint '/bare', page_param 'page', page_start '0', checkpoint 'offset');
CALL api.script('/bare?page=0', '[{"json": [{"id": 1}, {"id": 1}, {"id": 2}]}]', repeat => true);
CALL api.script('/bare?page=1', '[{"json": [{"id": 1}, {"id": 2}]}, {"json": [{"id": 1}, {"id": 2}]}, {"json": [{"id": 1}, {"id": 2}, {"id": 2}]}]', repeat => true);
CALL api.script('/bare?page=2', '[{"json": []}]', repeat => true);
SET client_min_messages = error;         -- no record has a name
SELECT api.load('bare_pages', 'LIMIT 1');
SELECT stands('bare_pages');
SELECT api.load('bare_pages');
SELECT stands('bare_pages');
SELECT api.load('bare_pages');
SELECT api.load('bare_pages');

---- a batch of one page: what is read again does not use it up
CALL api.collection('items', 1, 25);
SELECT checkpoint_fdw.reset('pages');
SELECT checkpoint_fdw.reset('items');
SET checkpoint_fdw.batch_pages = 1;
SELECT api.load('pages');
SELECT api.load('pages');
SELECT api.load('pages');
SELECT api.load('pages');
SELECT stands('pages');
SELECT api.load('items');
SELECT api.load('items');
