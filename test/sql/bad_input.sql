-- What an API can send, or fail to send: each a clear error with the URL, the page, and for a value its column.  A load
-- that meets it leaves target and checkpoint as they were.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET statement_timeout = '60 s';          -- a load that never ends must not stop the tests
SET client_min_messages = error;         -- most records have few of the columns
ALTER SERVER api OPTIONS (ADD max_retries '0');   -- what passes by itself is in the test "retry"

CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN small AS int CHECK (VALUE < 100);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text, at timestamptz, short varchar(3), amount numeric(4,1), feels mood,
  little small, many int[], flag boolean, doc jsonb, day date, "createdAt" text, needed int OPTIONS (path '/in/it'))
  SERVER api OPTIONS (endpoint '/items', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (LIKE items);

-- A load that is at its end: all that follows happens to the next one.
CALL api.collection('items', 1, 1);
SELECT api.load('items');
CREATE TABLE before AS SELECT t.id, c.position, c.updated_at, c.checked_at, c.batch FROM target t, checkpoint_fdw.checkpoint c;
CREATE FUNCTION state() RETURNS text BEGIN ATOMIC
	SELECT CASE WHEN count(*) = 1 AND count(b) = 1 THEN 'target and checkpoint are as they were' ELSE 'CHANGED' END
	FROM (SELECT t.id, c.position, c.updated_at, c.checked_at, c.batch FROM target t, checkpoint_fdw.checkpoint c) now
	LEFT JOIN before b ON now = b;
END;

-- A step of the API (see server.py) in the place of a load's first page; then behind a page that was good.
CREATE FUNCTION bad(step json) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	good json := '{"json": {"data": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}], "next_cursor": "x"}}';
	line text;
BEGIN
	CALL api.script('/items', json_build_array(step), repeat => true);
	RETURN QUERY SELECT * FROM api.fails('INSERT INTO target SELECT * FROM items');
	CALL api.script('/items', json_build_array(good, step), repeat => true);
	FOR line IN SELECT * FROM api.fails('INSERT INTO target SELECT * FROM items') LOOP
		line := substring(line FROM 'page \d+ of foreign table .*');
		CONTINUE WHEN line IS NULL;
		RETURN NEXT '  then ' || line;
	END LOOP;
	RETURN NEXT '  ' || state();
END $$;
-- The same for one record.
CREATE FUNCTION bad_record(record json) RETURNS SETOF text BEGIN ATOMIC
	SELECT bad(json_build_object('json', json_build_object('data', json_build_array(record))));
END;


---- no answer
CREATE SERVER closed FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'http://127.0.0.1:1', max_retries '0');
CREATE FOREIGN TABLE nobody (id int) SERVER closed OPTIONS (endpoint '/items', checkpoint 'cursor');
SELECT regexp_replace(line, 'after \d+ ms', 'after N ms') FROM api.fails('INSERT INTO target SELECT * FROM nobody') line;
SELECT count(*) FROM checkpoint_fdw.checkpoint WHERE foreign_table = 'nobody'::regclass;
SELECT bad('{"reset": true}');
SELECT bad('{"raw": ""}');
SELECT bad('{"raw": "SSH-2.0-OpenSSH_9.2\r\n"}');
SELECT bad('{"raw": "HTTP/1.1 200 OK\r\nContent-Ty"}');
ALTER SERVER api OPTIONS (ADD request_timeout '200 ms');
SELECT bad('{"hold": true}');
ALTER SERVER api OPTIONS (DROP request_timeout);

---- an error status
SELECT bad('{"status": 400, "body": "{\"error\": \"limit\"}"}');
SELECT bad('{"status": 401}');
SELECT bad('{"status": 403}');
SELECT bad('{"status": 404}');
SELECT bad('{"status": 500, "body": "<html>"}');
SELECT bad('{"status": 301, "headers": {"Location": "/other"}}');

---- a body that is cut, or too long
SELECT bad('{"json": {"data": [{"id": 2}], "next_cursor": null}, "cut": 20}');
SELECT bad('{"json": {"data": [{"id": 2}], "next_cursor": null}, "cut": 20, "chunked": 8}');
SELECT bad('{"json": {"data": [{"id": 2}], "next_cursor": null}, "gzip": true, "cut": 20}');
SELECT bad('{"json": {"data": [{"id": 2}], "next_cursor": null}, "reset": 20}');
SELECT bad('{"body": "[1]", "headers": {"Content-Encoding": "gzip"}}');
ALTER SERVER api OPTIONS (ADD max_response_bytes '100');
SELECT bad('{"json": {"data": [], "filler": "1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890"}}');
ALTER SERVER api OPTIONS (DROP max_response_bytes);

---- no JSON
SELECT bad('{"body": "<!DOCTYPE html><html><body>Sign in</body></html>", "headers": {"Content-Type": "text/html"}}');
SELECT bad('{"body": "<!DOCTYPE html><html><body>Sign in</body></html>"}');
SELECT bad('{"body": ""}');
SELECT bad('{"body": " \n"}');
SELECT bad('{"body": "{\"data\": [{\"id\": 2}, {\"id\""}');
SELECT bad('{"body": "{\"data\": [{\"id\": 2},]}"}');
SELECT bad('{"body": "{\"data\": [{''id'': 2}]}"}');
SELECT bad('{"body": "{\"data\": [{\"id\": NaN}]}"}');
SELECT bad('{"body": "{\"data\": [{\"id\": 2}]} {}"}');
SELECT bad('{"base64": "eyJkYXRhIjogW3siaWQiOiAyLCAibmFtZSI6ICL/In1dfQ=="}');
SELECT bad(json_build_object('body', '{"data": ' || repeat('[', 20000) || repeat(']', 20000) || '}'));

---- no records
SELECT bad('{"json": {"items": [{"id": 2}], "next_cursor": null}}');
SELECT bad('{"json": [{"id": 2}]}');
SELECT bad('{"json": {"data": "none"}}');
SELECT bad('{"json": "data"}');
CREATE FOREIGN TABLE no_path (id int) SERVER api OPTIONS (endpoint '/items');
CALL api.script('/items', '[{"json": {"meta": {"rows": []}, "items": [{"id": 2}]}}, {"json": {"meta": 1}}]');
SELECT api.fails('SELECT * FROM no_path');
SELECT api.fails('SELECT * FROM no_path');

---- a record that is no object
SELECT bad_record('7');
SELECT bad_record('null');
SELECT bad_record('[{"id": 2}]');

---- a value that does not fit its column
SELECT bad_record('{"id": "two"}');
SELECT bad_record('{"id": 2147483648}');
SELECT bad_record('{"id": 2.5}');
SELECT bad_record('{"id": {"a": 1}}');
SELECT bad_record('{"id": null}');
SELECT bad_record('{"id": 2, "at": "yesterday or so"}');
SELECT bad_record('{"id": 2, "short": "long"}');
SELECT bad_record('{"id": 2, "amount": 12345}');
SELECT bad_record('{"id": 2, "feels": "so so"}');
SELECT bad_record('{"id": 2, "little": 100}');
SELECT bad_record('{"id": 2, "many": 3}');
SELECT bad_record('{"id": 2, "many": [1, "x"]}');
SELECT bad_record('{"id": 2, "flag": "perhaps"}');
SELECT bad_record('{"id": 2, "day": "2024-02-30"}');
SELECT bad_record('{"id": 2, "doc": "\u0000"}');
SELECT bad_record('{"id": 2, "name": "a\u0000b"}');
SELECT bad('{"body": "{\"data\": [{\"id\": 2, \"name\": \"\\ud800\"}]}"}');
SELECT bad_record('{"id": 2, "in": {"it": "x"}}');
SELECT bad_record('{"id": 2, "created_at": "a", "CreatedAt": "b"}');
ALTER FOREIGN TABLE items ALTER name SET NOT NULL;
SELECT bad_record('{"id": 2, "name": null}');
ALTER FOREIGN TABLE items ALTER name DROP NOT NULL;

---- paging that leads nowhere
SELECT bad('{"json": {"data": [{"id": 2}], "next_cursor": true}}');
CALL api.script('/items', '[{"json": {"data": [{"id": 2}], "next_cursor": "x"}}, {"json": {"data": [{"id": 3}], "next_cursor": "x"}}]', repeat => true);
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT state();
ALTER FOREIGN TABLE items OPTIONS (ADD max_pages '2');
CALL api.collection('items', 1, 5);
CALL api.script('/items', '[]');
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT state();
ALTER FOREIGN TABLE items OPTIONS (DROP max_pages);
CREATE FOREIGN TABLE linked (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/linked', records_path '/data', next_url_path '/next', checkpoint 'cursor');
CALL api.script('/linked', '[{"json": {"data": [{"id": 1}], "next": "/linked"}}]', repeat => true);
SELECT * FROM api.fails('INSERT INTO target SELECT * FROM linked') LIMIT 1;
CALL api.script('/linked', '[{"json": {"data": [{"id": 1}], "next": "?2"}}, {"json": {"data": [{"id": 2}], "next": "http://localhost/linked"}}]', repeat => true);
SELECT api.fails('INSERT INTO target SELECT * FROM linked');
SELECT count(*) FROM checkpoint_fdw.checkpoint WHERE foreign_table = 'linked'::regclass;

---- an endpoint without a slash
CREATE FOREIGN TABLE no_slash (id int) SERVER api OPTIONS (endpoint 'items');

---- once the API is well again, the load goes on where it stood
SELECT api.load('items');
SELECT count(*), count(DISTINCT id) FROM target;
