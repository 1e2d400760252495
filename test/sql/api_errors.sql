-- What an API says of itself: errors with a good status, statuses that mean nothing or the end, and quotes of both
-- without the secrets that were sent.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

SET client_min_messages = error;         -- few records have names

CREATE TABLE target (id int, name text);
CREATE SERVER errors FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'http://127.0.0.1:1', max_retries '0');
SELECT format('ALTER SERVER errors OPTIONS (SET base_url %L)', url) FROM api.server \gexec
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER errors
  OPTIONS (endpoint '/items', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');


---- error_path
ALTER FOREIGN TABLE items OPTIONS (ADD error_path '/error');
CALL api.collection('items', 1, 3);
SELECT api.load('items');
-- a document that has nothing else, one with records, and records that have such a member
CALL api.script('/items', '[{"json": {"error": "invalid_auth"}}]');
SELECT api.fails('SELECT * FROM items');
CALL api.script('/items', '[{"json": {"data": [{"id": 9}], "error": {"code": 42, "message": "partial"}}}]');
SELECT api.fails('INSERT INTO target SELECT * FROM items');
CALL api.script('/items', '[{"json": {"data": [{"id": 9, "error": "x"}], "error": null}}]');
SELECT api.read('items');
-- on a later page: what came before is not loaded either
CALL api.append('items', 4, 8);
CALL api.overlay('/items', '{"2": {"json": {"error": "quota"}}}');
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT api.runs(array_agg(id ORDER BY id)) FROM target;
SELECT api.load('items');

-- an SQL/JSON path
ALTER FOREIGN TABLE items OPTIONS (SET error_path '$.errors[*] ? (@.severity == "fatal").text');
CALL api.script('/items', '[{"json": {"data": [], "errors": [{"severity": "mild", "text": "a"}, {"severity": "fatal", "text": "b"}]}}]');
SELECT api.fails('SELECT * FROM items');
CALL api.script('/items', '[{"json": {"data": [{"id": 9}], "errors": [{"severity": "mild", "text": "a"}]}}]');
SELECT api.read('items');

-- the opposite of a flag
ALTER FOREIGN TABLE items OPTIONS (SET error_path '!/ok');
CALL api.script('/items', '[{"json": {"ok": false, "error": "not_authed"}}]');
SELECT api.fails('SELECT * FROM items');
CALL api.script('/items', '[{"json": {"ok": true, "data": [{"id": 9}]}}]');
SELECT api.read('items');
-- a flag that is not there is false
CALL api.script('/items', '[{"json": {"data": [{"id": 9}]}}]');
SELECT api.fails('SELECT * FROM items');
ALTER FOREIGN TABLE items OPTIONS (DROP error_path);

-- an error document is never a page, with or without the option
CALL api.script('/items', '[{"json": {"error": "invalid_auth"}}]');
SELECT api.fails('INSERT INTO target SELECT * FROM items');


---- statuses
CREATE FOREIGN TABLE pages (id int OPTIONS (key 'true'), name text) SERVER errors
  OPTIONS (endpoint '/pages', page_param 'page', records_path '/results', checkpoint 'offset');
CREATE PROCEDURE pages(script json) LANGUAGE plpgsql AS $$ BEGIN CALL api.script('/pages', script); END $$;
-- the first page
CALL pages('[{"status": 404, "json": {"detail": "nothing here"}}]');
SELECT api.fails('SELECT * FROM pages');
ALTER FOREIGN TABLE pages OPTIONS (ADD ignore_statuses '404, 416');
CALL pages('[{"status": 404, "json": {"detail": "nothing here"}}]');
SELECT api.load('pages');
CALL pages('[{"status": 416}]');
SELECT api.read('pages');
CALL pages('[{"status": 403}]');
SELECT api.fails('SELECT * FROM pages');
-- … speaks of the first page only
CALL pages('[{"json": {"results": [{"id": 1}, {"id": 2}]}}, {"status": 404, "json": {"detail": "Invalid page."}}]');
SELECT api.fails('INSERT INTO target SELECT * FROM pages');
-- a later page
ALTER FOREIGN TABLE pages OPTIONS (DROP ignore_statuses, ADD end_statuses '404');
DELETE FROM target;
CALL api.script('/pages?page=1', '[{"json": {"results": [{"id": 1}, {"id": 2}]}}]', repeat => true);
CALL api.script('/pages?page=2', '[{"json": {"results": [{"id": 3}, {"id": 4}]}}]', repeat => true);
CALL api.script('/pages?page=3', '[{"status": 404, "json": {"detail": "Invalid page."}}]', repeat => true);
SELECT api.load('pages');
SELECT api.load('pages');
CALL api.script('/pages?page=2', '[{"json": {"results": [{"id": 3}, {"id": 4}, {"id": 5}]}}]', repeat => true);
SELECT api.load('pages');
SELECT api.runs(array_agg(id ORDER BY id)) FROM target;
-- … does not speak of the first one
SELECT checkpoint_fdw.reset('pages');
CALL api.script('/pages?page=1', '[{"status": 404, "json": {"detail": "Not found."}}]');
SELECT api.fails('SELECT * FROM pages');
-- a cursor's page
CREATE FOREIGN TABLE linked (id int OPTIONS (key 'true')) SERVER errors OPTIONS (endpoint '/linked', pagination 'link_header', end_statuses '400');
CALL api.script('/linked', '[{"json": [{"id": 1}], "headers": {"Link": "</linked?2>; rel=next"}}, {"status": 400, "headers": {"Link": "</linked?3>; rel=next"}}]');
SELECT api.read('linked');
-- 204 is a page without records, and may have a next one
CALL api.script('/linked', '[{"status": 204, "headers": {"Link": "</linked?2>; rel=next"}}, {"json": [{"id": 2}]}]');
SELECT api.read('linked');


---- quotes: one line, a part of it, and no secret
ALTER SERVER errors OPTIONS (ADD auth 'bearer');
CREATE USER MAPPING FOR CURRENT_USER SERVER errors OPTIONS (token 'canary/token=', headers '{"X-Secret": "canary header"}');
CREATE FOREIGN TABLE quoted (id int) SERVER errors OPTIONS (endpoint '/quoted');
CREATE PROCEDURE says(status int, body text) LANGUAGE plpgsql AS $$ BEGIN CALL api.script('/quoted', json_build_array(json_build_object('status', status, 'body', body))); END $$;
CALL says(401, 'invalid token canary/token=');
SELECT api.fails('SELECT * FROM quoted');
CALL says(400, '{"headers": {"Authorization": "Bearer canary\/token=", "X-Secret": "canary header"}, "url": "/x?t=canary%2Ftoken%3d"}');
SELECT api.fails('SELECT * FROM quoted');
CALL says(500, E'line 1\n\tline 2\r\n\x1b[31mred ' || repeat('x', 400));
SELECT api.fails('SELECT * FROM quoted');
CALL says(502, '<html><title>Bad Gateway</title></html>');
SELECT api.fails('SELECT * FROM quoted');
CALL says(200, '{"echo": "canary/token="}');
SELECT api.fails('SELECT * FROM quoted');
CALL says(200, '[{"id": 1}, "canary/token=" x');
SELECT api.fails('SELECT * FROM quoted');
-- in a URL under any name
CALL api.script('/quoted', '[{"status": 302, "headers": {"Location": "/moved?state=canary/token="}}]');
SELECT api.fails('SELECT * FROM quoted');


---- the options
ALTER FOREIGN TABLE items OPTIONS (ADD error_path 'error');
ALTER FOREIGN TABLE items OPTIONS (ADD error_path '!');
ALTER FOREIGN TABLE items OPTIONS (ADD ignore_statuses '2xx');
ALTER FOREIGN TABLE items OPTIONS (ADD end_statuses '404, 200');
ALTER FOREIGN TABLE items OPTIONS (ADD ignore_statuses '204, 404', ADD end_statuses '4xx');
CREATE FOREIGN TABLE lines (id int) SERVER errors OPTIONS (endpoint '/lines', response_format 'ndjson', error_path '/error');
