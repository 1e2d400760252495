-- Checkpoint 'sync_token': the API says with which token the next load asks for changes (DESIGN 2.1).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE TABLE target (id int, name text);

CREATE FUNCTION stands(source text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(', ', 'token ' || (position -> 'sync_token')::text, 'found ' || (position -> 'next_sync_token')::text,
	                 'page ' || (position -> 'page')::text, 'next ' || (position -> 'next')::text,
	                 CASE WHEN position ? 'started' THEN 'open' END, keys || ' keys', CASE WHEN pending THEN 'pending' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass $$;


---- a token for a parameter; pages of a walk carry the one that was there at its beginning
CALL api.script('/changes', '[{"json": {"items": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "next": "p2"}},
                              {"json": {"items": [{"id": 3, "name": "c"}], "sync": "s1"}},
                              {"json": {"items": [], "sync": "s1"}},
                              {"json": {"items": [{"id": 2, "name": "B"}, {"id": 4, "name": "d"}], "sync": "s2"}},
                              {"json": {"items": []}}]');
CREATE FOREIGN TABLE changes (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/changes', records_path '/items', cursor_path '/next', cursor_param 'page', sync_token_path '/sync', sync_token_param 'token');
SELECT api.load('changes');
SELECT stands('changes');
-- nothing new
SELECT api.load('changes');
SELECT stands('changes');
-- updated and new
SELECT api.load('changes');
SELECT stands('changes');
-- no records and no token: the one that is held stays
SELECT api.load('changes');
SELECT stands('changes');
SELECT * FROM target ORDER BY id, name;

---- LIMIT in the middle of a walk, a look, rollback
CALL api.script('/changes', '[{"json": {"items": [{"id": 5, "name": "e"}, {"id": 6, "name": "f"}], "next": "p2"}},
                              {"json": {"items": [{"id": 5, "name": "e"}, {"id": 6, "name": "f"}], "next": "p2"}},
                              {"json": {"items": [{"id": 7, "name": "g"}, {"id": 5, "name": "E"}], "sync": "s3"}},
                              {"json": {"items": [{"id": 5, "name": "e"}, {"id": 6, "name": "f"}], "next": "p2"}},
                              {"json": {"items": [{"id": 7, "name": "g"}, {"id": 5, "name": "E"}], "sync": "s3"}},
                              {"json": {"items": [{"id": 8, "name": "h"}], "sync": "s4"}},
                              {"json": {"items": [{"id": 8, "name": "h"}], "sync": "s4"}}]');
SELECT api.load('changes', 'LIMIT 1');
SELECT stands('changes');
SELECT api.read('changes');
SELECT api.load('changes');
SELECT stands('changes');
BEGIN;
SELECT api.load('changes');
ROLLBACK;
SELECT stands('changes');
SELECT api.load('changes');
SELECT stands('changes');

---- a batch at a time
CALL api.script('/changes', '[{"json": {"items": [{"id": 9, "name": "i"}], "next": "p2"}}, {"json": {"items": [{"id": 10, "name": "j"}], "next": "p3"}},
                              {"json": {"items": [{"id": 11, "name": "k"}], "sync": "s5"}}, {"json": {"items": [], "sync": "s5"}}]');
ALTER FOREIGN TABLE changes OPTIONS (ADD batch_pages '2');
SELECT api.load('changes');
SELECT stands('changes');
SELECT api.load('changes');
SELECT stands('changes');
SELECT api.load('changes');
ALTER FOREIGN TABLE changes OPTIONS (DROP batch_pages);

---- no token at all is an error, else the next load would begin anew
CALL api.script('/changes', '[{"json": {"items": [{"id": 12, "name": "l"}]}}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM changes');
CREATE FOREIGN TABLE misspelt (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/changes', records_path '/items', sync_token_path '/token', sync_token_param 'token');
CALL api.script('/changes', '[{"json": {"items": []}}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM misspelt');

---- newest first: the first page has the token of the walk
CREATE FOREIGN TABLE latest (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/latest', records_path '/items', cursor_path '/next', cursor_param 'page', sync_token_path '/sync', params 'after={sync_token}', record_order 'desc');
CALL api.script('/latest', '[{"json": {"items": [{"id": 3, "name": "c"}], "next": 2, "sync": 3}}, {"json": {"items": [{"id": 1, "name": "a"}], "sync": 1}}, {"json": {"items": [{"id": 4, "name": "d"}], "sync": 4}}]');
SELECT api.load('latest');
SELECT stands('latest');
SELECT api.load('latest');
SELECT stands('latest');

---- a token that is a URL (deltaLink)
CALL api.script('/delta', '[{"json": {"value": [{"id": 1, "name": "a"}], "@odata.nextLink": "/delta?$skiptoken=x"}},
                            {"json": {"value": [{"id": 2, "name": "b"}], "@odata.deltaLink": "/delta?$deltatoken=d%201"}},
                            {"json": {"value": [{"id": 3, "name": "c"}], "@odata.nextLink": "/delta?$skiptoken=y"}},
                            {"json": {"value": [], "@odata.deltaLink": "/delta?$deltatoken=d2"}}]');
CREATE FOREIGN TABLE delta (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/delta', records_path '/value', next_url_path '/@odata.nextLink', sync_token_path '/@odata.deltaLink');
SELECT api.load('delta');
SELECT stands('delta') LIKE 'token "http://127.0.0.1:%/delta?$deltatoken=d%201"%' AS token;
SELECT api.load('delta');
-- of another host
CALL api.script('/delta', '[{"json": {"value": [], "@odata.deltaLink": "https://elsewhere.example/delta"}}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM delta');

---- a token that the API no longer takes
CALL api.script('/changes', '[{"status": 410, "json": {"error": "gone"}}, {"status": 410, "json": {"error": "gone"}},
                              {"json": {"items": [{"id": 1, "name": "a"}, {"id": 13, "name": "m"}], "sync": "s9"}}, {"json": {"items": [], "sync": "s9"}}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM changes');
ALTER FOREIGN TABLE changes OPTIONS (ADD on_expired 'restart');
SELECT api.load('changes');
SELECT stands('changes');
SELECT api.load('changes');
-- other ways to say so
CALL api.script('/changes', '[{"status": 400, "json": {"error": "Sync Token Expired"}}, {"json": {"items": [], "sync": "t1"}}, {"status": 404, "json": {}}, {"json": {"items": [], "sync": "t2"}}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM changes');
CALL api.script('/changes', '[{"status": 400, "json": {"error": "Sync Token Expired"}}, {"json": {"items": [], "sync": "t1"}}, {"status": 404, "json": {}}, {"json": {"items": [], "sync": "t2"}}]');
ALTER FOREIGN TABLE changes OPTIONS (ADD expired_match 'sync token expired', ADD expired_statuses '404');
SELECT api.load('changes');
SELECT stands('changes');
SELECT api.load('changes');
SELECT stands('changes');
-- the restart that fails too is an error
CALL api.script('/changes', '[{"status": 404, "json": {}}, {"status": 404, "json": {}}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM changes');
SELECT stands('changes');

---- a stored page that has expired: the walk goes on from its token, and nothing is doubled
CALL api.script('/changes', '[{"json": {"items": [{"id": 20, "name": "x"}, {"id": 21, "name": "y"}], "next": "p2"}},
                              {"status": 404, "json": {}},
                              {"json": {"items": [{"id": 20, "name": "x"}, {"id": 21, "name": "y"}, {"id": 22, "name": "z"}], "sync": "t3"}}]');
SELECT api.load('changes', 'LIMIT 1');
SELECT stands('changes');
SELECT api.load('changes');
SELECT stands('changes');
