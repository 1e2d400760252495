-- What is asked again, how often, and what it does to what is loaded.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

CREATE TABLE target (id int, name text);
CREATE SERVER patient FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'http://127.0.0.1:1');
SELECT format('ALTER SERVER patient OPTIONS (SET base_url %L)', url) FROM api.server \gexec
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER patient
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE VIEW last_batch AS
  SELECT format('records %s, pages %s, requests %s, retries %s', records, pages, requests, retries)
  FROM checkpoint_fdw.batch ORDER BY batch DESC LIMIT 1;


---- every page is whole, and every record comes once
CALL api.collection('items', 1, 25);
CALL api.overlay('/items', '{"1": {"status": 503, "close": true}, "2": {"reset": true}, "4": {"cut": 40}, "5": {"raw": "garbage"}, "6": {"body": "[{\"id\"", "length": null}, "8": {"status": 429, "headers": {"Retry-After": "0.1"}}}');
SELECT api.load('items');
TABLE last_batch;
SELECT count(*), count(DISTINCT id) FROM target;

-- asked ahead or not
ALTER SERVER patient OPTIONS (ADD prefetch '0');
CALL api.append('items', 26, 45);
CALL api.overlay('/items', '{"1": {"gzip": true, "cut": 30}, "3": {"status": 502}}');
SELECT api.load('items');
TABLE last_batch;
ALTER SERVER patient OPTIONS (DROP prefetch);

-- a request by POST is a read, too
CREATE FOREIGN TABLE posted (id int, name text) SERVER patient
  OPTIONS (endpoint '/items/post', method 'POST', body '{"cursor": "{cursor}", "limit": "{limit}"}', page_size '20', records_path '/data', cursor_path '/next_cursor');
CALL api.overlay('/items/post', '{"2": {"status": 500}}');
SELECT api.read('posted');


---- what is final
CALL api.script('/items', '[{"status": 404}]');
SELECT api.fails('SELECT * FROM items');
CALL api.script('/items', '[{"body": "<html>"}]');
SELECT api.fails('SELECT * FROM items');
ALTER SERVER patient OPTIONS (ADD max_retries '2');
CALL api.script('/items', '[{"status": 500}]', repeat => true);
SELECT api.fails('INSERT INTO target SELECT * FROM items');
-- nothing of it stays
SELECT count(*) FROM target;
SELECT count(*) FROM checkpoint_fdw.batch;
ALTER SERVER patient OPTIONS (SET max_retries '0');
SELECT api.fails('SELECT * FROM items');
ALTER SERVER patient OPTIONS (SET max_retries '5');


---- patience
CALL api.script('/items', '[{"status": 429, "headers": {"Retry-After": "3600"}}]');
SELECT api.fails('SELECT * FROM items');
ALTER SERVER patient OPTIONS (ADD max_retry_wait '50ms');
CALL api.script('/items', '[{"status": 429, "headers": {"Retry-After": "1"}}]');
SELECT api.fails('SELECT * FROM items');
ALTER SERVER patient OPTIONS (DROP max_retry_wait);
-- a wait ends with the statement
CALL api.script('/items', '[{"status": 429, "headers": {"Retry-After": "50"}}]', repeat => true);
SET statement_timeout = '300ms';
SELECT * FROM items;
RESET statement_timeout;
SELECT api.log();


---- which answers
ALTER SERVER patient OPTIONS (ADD retry_statuses '404');
CALL api.script('/items', '[{"status": 404}, {"json": {"data": [{"id": 1}]}}]');
SELECT api.read('items');
CALL api.script('/items', '[{"status": 503}]');
SELECT api.fails('SELECT * FROM items');
ALTER SERVER patient OPTIONS (DROP retry_statuses);

CALL api.script('/items', '[{"status": 403, "headers": {"Retry-After": "0"}}, {"status": 403, "headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "0"}}, {"json": {"data": [{"id": 1}]}}]');
SELECT api.read('items');
CALL api.script('/items', '[{"status": 403, "headers": {"X-RateLimit-Remaining": "10"}}]');
SELECT api.fails('SELECT * FROM items');

ALTER SERVER patient OPTIONS (ADD retry_match 'Rate limit');
CALL api.script('/items', '[{"json": {"error": ["EAPI:Rate limit exceeded"]}}, {"status": 400, "json": {"code": "RATE LIMIT"}}, {"json": {"data": [{"id": 1, "name": "rate limit"}]}}]');
SELECT api.read('items');
CALL api.script('/items', '[{"json": {"data": [], "error": "rate limit"}}]', repeat => true);
ALTER SERVER patient OPTIONS (SET max_retries '1');
SELECT api.fails('SELECT * FROM items');


---- the options
ALTER SERVER patient OPTIONS (SET max_retries '-1');
ALTER SERVER patient OPTIONS (SET max_retries 'many');
ALTER SERVER patient OPTIONS (ADD max_retry_wait '2 d');
ALTER SERVER patient OPTIONS (ADD retry_statuses '');
ALTER SERVER patient OPTIONS (ADD retry_statuses '429 503');
ALTER SERVER patient OPTIONS (ADD retry_statuses '6xx');
ALTER SERVER patient OPTIONS (ADD retry_statuses '429, 503,5xx');
