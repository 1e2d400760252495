-- Checkpoint 'keys': the whole list each time, of which only unknown keys are loaded (DESIGN 2.1).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE TABLE target (id int, name text);

CREATE FUNCTION stands(source text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(', ', 'page ' || (position -> 'page')::text, 'next ' || (position -> 'next')::text,
	                 CASE WHEN position ? 'started' THEN 'open' END, keys || ' keys', CASE WHEN pending THEN 'pending' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass $$;


---- first run, nothing new, new anywhere in the list, gone at the source
CALL api.collection('items', 1, 9);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=4', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'keys');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
CALL api.script('/items', '[{"json": {"data": [{"id": 12, "name": "l"}, {"id": 9, "name": "i"}], "next_cursor": "x"}}, {"json": {"data": [{"id": 1, "name": "a"}, {"id": 11, "name": "k"}, {"id": 12, "name": "l"}]}}]');
SELECT api.load('items');
SELECT stands('items');
-- updated at the source: the same key is no news
CALL api.put('items', '[{"id": 3, "name": "changed"}]');
CALL api.remove('items', 4, 5);
SELECT api.load('items');
SELECT stands('items');
SELECT count(*), count(DISTINCT id) FROM target;

---- LIMIT, a look, rollback, batches
SELECT checkpoint_fdw.reset('items');
CALL api.collection('items', 1, 9);
SELECT api.load('items', 'LIMIT 3');
SELECT stands('items');
SELECT api.read('items');
SELECT api.load('items', 'LIMIT 3');
SELECT stands('items');
BEGIN;
SELECT api.load('items');
ROLLBACK;
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
SELECT checkpoint_fdw.reset('items');
SET checkpoint_fdw.batch_pages = 2;
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
RESET checkpoint_fdw.batch_pages;
-- the option, and the setting in its place
ALTER FOREIGN TABLE items OPTIONS (ADD batch_pages '1');
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items');
SET checkpoint_fdw.batch_pages = 100;
SELECT api.load('items');
RESET checkpoint_fdw.batch_pages;
ALTER FOREIGN TABLE items OPTIONS (DROP batch_pages);
-- by time: it ends with the page during which it is over
SELECT checkpoint_fdw.reset('items');
CALL api.overlay('/items', '{"1": {"delay": 1100}}');
SET checkpoint_fdw.batch_seconds = 1;
SELECT api.load('items');
RESET checkpoint_fdw.batch_seconds;
SELECT stands('items');
ALTER FOREIGN TABLE items OPTIONS (ADD batch_seconds '50 ms');
CALL api.overlay('/items', '{"1": {"delay": 100}}');
SELECT api.load('items');
ALTER FOREIGN TABLE items OPTIONS (DROP batch_seconds);
SELECT api.load('items');
-- a bound is no reason to begin anew: without a checkpoint it has no effect
SET checkpoint_fdw.batch_pages = 1;
ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'none');
SELECT api.read('items');
ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'keys');
RESET checkpoint_fdw.batch_pages;

---- a list whose newest come first, and move all others to later pages while it is read
SELECT checkpoint_fdw.reset('items');
CALL api.clear();
CREATE FOREIGN TABLE newest (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/newest', page_param 'page', checkpoint 'keys');
CALL api.script('/newest', '[{"json": [{"id": 4, "name": "d"}, {"id": 3, "name": "c"}]}, {"json": [{"id": 3, "name": "c"}, {"id": 2, "name": "b"}]}, {"json": [{"id": 1, "name": "a"}]}, {"json": []},
                             {"json": [{"id": 5, "name": "e"}, {"id": 4, "name": "d"}]}, {"json": [{"id": 3, "name": "c"}, {"id": 2, "name": "b"}]}, {"json": [{"id": 1, "name": "a"}]}, {"json": []}]');
SELECT api.load('newest');
SELECT api.load('newest');
SELECT stands('newest');

---- a key of several columns, and of a version
CREATE FOREIGN TABLE versions (id int OPTIONS (key 'true'), v int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/versions', checkpoint 'keys');
CALL api.script('/versions', '[{"json": [{"id": 1, "v": 1, "name": "a"}, {"id": 2, "v": 1, "name": "b"}]}, {"json": [{"id": 1, "v": 2, "name": "A"}, {"id": 2, "v": 1, "name": "b"}]}, {"json": [{"id": 1, "name": "?"}]}]');
SELECT api.load('versions');
SELECT api.load('versions');
SELECT api.fails('INSERT INTO target SELECT id, name FROM versions');

---- a page that expires between two statements
SELECT checkpoint_fdw.reset('items');
CALL api.script('/items', '[{"json": {"data": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "next_cursor": "x"}}, {"status": 410, "body": ""}, {"status": 410, "body": ""},
                            {"json": {"data": [{"id": 2, "name": "b"}, {"id": 3, "name": "c"}]}}]');
SELECT api.load('items', 'LIMIT 1');
SELECT api.fails('INSERT INTO target SELECT id, name FROM items');
ALTER FOREIGN TABLE items OPTIONS (ADD on_expired 'restart');
SELECT api.load('items');
SELECT stands('items');
-- by hand
ALTER FOREIGN TABLE items OPTIONS (DROP on_expired);
SELECT checkpoint_fdw.reset('items');
CALL api.script('/items', '[{"json": {"data": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "next_cursor": "x"}}, {"json": {"data": [{"id": 2, "name": "b"}, {"id": 3, "name": "c"}]}}]');
SELECT api.load('items', 'LIMIT 1');
SELECT checkpoint_fdw.restart_walk('items');
SELECT stands('items');
SELECT api.load('items');
-- an error of a page within the statement is no reason to begin again
SELECT checkpoint_fdw.reset('items');
ALTER FOREIGN TABLE items OPTIONS (ADD on_expired 'restart');
CALL api.script('/items', '[{"json": {"data": [{"id": 1, "name": "a"}], "next_cursor": "x"}}, {"status": 410, "body": ""}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM items');
-- the same pages again after a restart are no loop
CALL api.script('/items', '[{"json": {"data": [{"id": 1, "name": "a"}], "next_cursor": "x"}}, {"json": {"data": [{"id": 2, "name": "b"}, {"id": 3, "name": "c"}], "next_cursor": "y"}}, {"status": 410, "body": ""},
                            {"json": {"data": [{"id": 1, "name": "a"}], "next_cursor": "x"}}, {"json": {"data": [{"id": 2, "name": "b"}, {"id": 3, "name": "c"}], "next_cursor": "y"}}, {"json": {"data": [{"id": 4, "name": "d"}]}}]');
SELECT api.load('items', 'LIMIT 2');
SELECT stands('items');
SELECT api.load('items');

---- a cursor that is an iterator: it is never entered in the middle, and each page is asked for once
CREATE FOREIGN TABLE scrolled (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/scroll', records_path '/hits', cursor_path '/scroll', cursor_param 'scroll', checkpoint 'keys', stateful_cursor 'true', cursor_end 'empty');
CALL api.script('/scroll', '[{"json": {"hits": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "scroll": "s"}}, {"json": {"hits": [{"id": 3, "name": "c"}], "scroll": "s"}}, {"json": {"hits": [], "scroll": "s"}},
                             {"json": {"hits": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "scroll": "t"}}, {"json": {"hits": [{"id": 3, "name": "c"}, {"id": 4, "name": "d"}], "scroll": "t"}}, {"json": {"hits": [], "scroll": "t"}}]');
SELECT api.load('scrolled');
SELECT stands('scrolled');
SELECT api.load('scrolled', 'LIMIT 1');
SELECT stands('scrolled');
CALL api.script('/scroll', '[{"json": {"hits": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "scroll": "u"}}, {"json": {"hits": [{"id": 3, "name": "c"}, {"id": 5, "name": "e"}], "scroll": "u"}}, {"json": {"hits": [], "scroll": "u"}}]');
SET checkpoint_fdw.batch_pages = 1;              -- of no account here
SELECT api.load('scrolled');
SELECT stands('scrolled');
