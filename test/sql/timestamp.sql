-- Checkpoint 'timestamp': what is asked, what is known, where the next load begins (DESIGN 2.1).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');      -- else a load that stops early may have asked for one page more
CREATE TABLE target (id int, name text);

-- Where a stream stands: the times of its position, its page, keys, records held back.
CREATE FUNCTION stands(source text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(', ', 'since ' || coalesce(position #>> '{since,text}', position #>> '{since,value}'),
	                 'high ' || coalesce(position #>> '{high,text}', position #>> '{high,value}'),
	                 'until ' || (position #>> '{until,value}'),
	                 'page ' || (position -> 'page')::text, 'next ' || (position -> 'next')::text,
	                 CASE WHEN position ? 'started' THEN 'open' END,
	                 keys || ' keys', nullif(held_back, 0) || ' held back', CASE WHEN pending THEN 'pending' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass $$;


---- newest last, by pages of four: the API sends what is later than {since}
CALL api.filtered('items', '{"column": "at", "since": "since"}', api.dated(1, 10, '2024-05-01 10:00Z'));
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=4', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor',
           timestamp_column 'at', timestamp_param 'since');
SELECT api.load('items');
SELECT stands('items');
-- nothing new: the last unit of time is asked for again, and known
SELECT api.load('items');
SELECT stands('items');
-- a look takes nothing
CALL api.put('items', api.dated(11, 12, '2024-05-01 11:00Z'));
SELECT api.read('items');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
-- updated: it comes again, with its new time; another record of the same time as the last one
CALL api.put('items', api.dated(3, 3, '2024-05-01 11:30Z'));
CALL api.put('items', api.dated(13, 13, '2024-05-01 11:01Z'));
SELECT api.load('items');
SELECT stands('items');
CALL api.put('items', api.dated(14, 14, '2024-05-01 11:30Z'));
SELECT api.load('items');
-- deleted at the source: nobody can see that
CALL api.remove('items', 14, 3);
SELECT api.load('items');
SELECT stands('items');

---- LIMIT: since waits for the end of the walk
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 3');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 3');
SELECT stands('items');
-- a record that changes while the walk is open comes again
CALL api.put('items', api.dated(1, 1, '2024-05-02 08:00Z'));
SELECT api.load('items');
SELECT stands('items');

---- rollback
BEGIN;
CALL api.put('items', api.dated(15, 16, '2024-05-02 09:00Z'));
SELECT api.load('items');
ROLLBACK;
SELECT stands('items');
BEGIN;
SAVEPOINT s;
SELECT api.load('items', 'LIMIT 1');
ROLLBACK TO s;
SELECT api.load('items');
COMMIT;
SELECT stands('items');
DROP FOREIGN TABLE items;


---- record_order asc: each page is asked for by the last one's greatest time, none is stored
CALL api.filtered('items', '{"column": "at", "since": "since", "order": "asc"}', api.dated(1, 10, '2024-05-01 10:00Z'));
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=4', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor',
           timestamp_column 'at', timestamp_param 'since', record_order 'asc');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
-- stopped inside a page, and after it; what is changed meanwhile goes to the end
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 2');
SELECT stands('items');
CALL api.put('items', api.dated(1, 1, '2024-05-01 12:00Z'));
SELECT api.load('items', 'LIMIT 4');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
-- batch_pages: a statement ends behind the page with which something came
SELECT checkpoint_fdw.reset('items');
SET checkpoint_fdw.batch_pages = 1;
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
SELECT api.load('items');
SELECT api.load('items');
SELECT stands('items');
-- a look is not bounded
SELECT checkpoint_fdw.reset('items');
SELECT api.read('items');
RESET checkpoint_fdw.batch_pages;
-- twelve records of one unit fill three pages
CALL api.filtered('items', '{"column": "at", "since": "since", "order": "asc"}', api.dated(1, 12, '2024-05-01 10:00Z', '0 s'));
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
-- without a next page nobody could read them all
CREATE FOREIGN TABLE single (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', limit_param 'limit', page_size '4', records_path '/data', timestamp_column 'at', timestamp_param 'since', record_order 'asc', pagination 'none');
SELECT api.fails('INSERT INTO target SELECT id, name FROM single');
-- where units are short enough, pages follow each other without a cursor
CALL api.filtered('items', '{"column": "at", "since": "since", "order": "asc"}', api.dated(1, 6, '2024-05-01 10:00Z'));
SELECT api.load('single');
SELECT stands('single');
DROP FOREIGN TABLE items, single;


---- record_order desc: without a parameter, a page that is older than the last load ends the walk
CALL api.filtered('items', '{"column": "at", "order": "desc"}', api.dated(1, 10, '2024-05-01 10:00Z'));
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=3', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor',
           checkpoint 'timestamp', timestamp_column 'at', record_order 'desc');
SELECT api.load('items');
SELECT stands('items');
CALL api.put('items', api.dated(11, 12, '2024-05-01 11:00Z'));
SELECT api.load('items');
SELECT stands('items');
-- one that stops early goes on where it stopped; since waits
CALL api.put('items', api.dated(13, 16, '2024-05-01 12:00Z'));
SELECT api.load('items', 'LIMIT 2');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
-- without an order all pages are read, and what is older is dropped
ALTER FOREIGN TABLE items OPTIONS (DROP record_order);
SELECT checkpoint_fdw.accept_change('items');
CALL api.put('items', api.dated(17, 17, '2024-05-01 13:00Z'));
SELECT api.load('items');
DROP FOREIGN TABLE items;


---- boundary, granularity, lookback: what is subtracted
CALL api.filtered('items', '{"column": "at", "since": "since", "inclusive": true}', api.dated(1, 3, '2024-05-01 10:00Z'));
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', records_path '/data', timestamp_column 'at', timestamp_param 'since', timestamp_boundary 'inclusive');
SELECT api.load('items');
-- nothing: the text goes out as it came
SELECT api.load('items');
ALTER FOREIGN TABLE items OPTIONS (ADD lookback '90 s');
SELECT api.load('items');
ALTER FOREIGN TABLE items OPTIONS (ADD timestamp_granularity '1 minute');
SELECT api.load('items');
ALTER FOREIGN TABLE items OPTIONS (SET timestamp_granularity '1 ms');
SELECT api.load('items');
ALTER FOREIGN TABLE items OPTIONS (SET timestamp_granularity '1 us', DROP timestamp_boundary, DROP lookback);
SELECT api.load('items');
-- a late record inside the lookback comes, but for the time whose keys were forgotten while there was none
ALTER FOREIGN TABLE items OPTIONS (ADD lookback '90 s', DROP timestamp_granularity);
CALL api.put('items', api.dated(4, 4, '2024-05-01 10:01:30Z'));
SELECT api.load('items');
SELECT stands('items');
CALL api.put('items', api.dated(5, 5, '2024-05-01 10:05:00Z'));
SELECT api.load('items');
CALL api.put('items', api.dated(6, 7, '2024-05-01 10:03:00Z'));
SELECT api.load('items');
SELECT stands('items');
DROP FOREIGN TABLE items;


---- timestamp_initial
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', records_path '/data', timestamp_column 'at', timestamp_param 'since', timestamp_initial '2024-05-01T10:00:30+00');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
-- nothing at all since then: the next load begins there again
ALTER FOREIGN TABLE items OPTIONS (SET timestamp_initial '2024-06-01T02:00+02');
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
-- embedded in a longer value it cannot be left out
ALTER FOREIGN TABLE items OPTIONS (DROP timestamp_initial, DROP timestamp_param, ADD checkpoint 'timestamp', ADD params 'q=at>{since}');
SELECT checkpoint_fdw.reset('items');
SELECT api.fails('SELECT id FROM items');
ALTER FOREIGN TABLE items OPTIONS (ADD timestamp_initial '2024-05-01T00:00:00Z');
SELECT api.read('items');
DROP FOREIGN TABLE items;


---- records without a time, with a null or an unparsable one, and from the future never move since
CALL api.script('/odd', '[{"json": [{"id": 1, "at": "2024-05-01T10:00:00Z", "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "at": null, "name": "c"},
                                    {"id": 4, "at": "soon", "name": "d"}, {"id": 5, "at": "2124-01-01T00:00:00Z", "name": "e"}]}]', repeat => true);
CREATE FOREIGN TABLE odd (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/odd', timestamp_column 'at', timestamp_param 'since');
SELECT api.fails('INSERT INTO target SELECT id, name FROM odd');
ALTER FOREIGN TABLE odd ALTER at OPTIONS (ADD on_error 'null');
SELECT api.load('odd');
SELECT stands('odd');
SELECT api.load('odd');
SELECT stands('odd');
-- a walk without records, or without times, leaves since where it is
CALL api.script('/odd', '[{"json": []}, {"json": [{"id": 6, "name": "f"}]}, {"json": [{"id": 5, "at": "2124-01-01T00:00:00Z", "name": "e"}, {"id": 7, "at": "2024-05-01T10:00:01Z", "name": "g"}]}]');
SELECT api.load('odd');
SELECT stands('odd');
SELECT api.load('odd');
SELECT stands('odd');
SELECT api.load('odd');
SELECT stands('odd');
-- values that no position can hold
CALL api.script('/odd', '[{"json": [{"id": 8, "at": "infinity", "name": "h"}]}]');
SELECT api.fails('INSERT INTO target SELECT id, name FROM odd');


---- an API that does not know the parameter
CALL api.script('/odd', '[{"json": [{"id": 1, "at": "2024-05-01T10:00:00Z", "name": "a"}, {"id": 9, "at": "2023-05-01T10:00:00Z", "name": "i"}]}]', repeat => true);
SELECT api.fails('INSERT INTO target SELECT id, name FROM odd');
-- or that filters by another field
ALTER FOREIGN TABLE odd OPTIONS (ADD timestamp_boundary 'unchecked');
SELECT api.load('odd');
SELECT stands('odd');
-- its old records come again and again: their keys are kept
SELECT api.load('odd');
SELECT stands('odd');
DROP FOREIGN TABLE odd;


---- many records with one time: their keys are rows, and nothing new is one request
CALL api.filtered('items', '{"column": "at", "since": "since"}', api.dated(1, 10000, '2024-05-01 10:00Z', '0 s'));
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=20000', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', timestamp_column 'at', timestamp_param 'since');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
CALL api.put('items', api.dated(10001, 10001, '2024-05-01 10:00Z'));
SELECT api.load('items');
CALL api.put('items', api.dated(10002, 10002, '2024-05-01 11:00Z'));
SELECT api.load('items');
SELECT stands('items');
DROP FOREIGN TABLE items;


---- a question by days, of another zone than the clock's: what it brings besides is dropped, what it cannot bring is an error
CALL api.script('/days', '[{"json": [{"id": 1, "at": "2024-04-30T13:00:00Z", "name": "a"}, {"id": 2, "at": "2024-05-01T10:00:00Z", "name": "b"}]},
                           {"json": [{"id": 1, "at": "2024-04-30T13:00:00Z", "name": "a"}, {"id": 2, "at": "2024-05-01T10:00:00Z", "name": "b"}, {"id": 3, "at": "2024-05-01T11:00:00Z", "name": "c"}]},
                           {"json": [{"id": 4, "at": "2024-04-29T13:00:00Z", "name": "d"}]}]');
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz OPTIONS (timezone 'Pacific/Auckland'), name text) SERVER api
  OPTIONS (endpoint '/days', timestamp_column 'at', timestamp_param 'day', timestamp_format 'date', timestamp_boundary 'inclusive', timestamp_granularity '1 s');
SELECT api.load('items');
SELECT stands('items');
SELECT api.load('items');
SELECT stands('items');
SELECT api.fails('INSERT INTO target SELECT id, name FROM items');
DROP FOREIGN TABLE items;


---- the way in which times are written may change
CALL api.script('/at', '[{"json": [{"id": 1, "at": "2024-05-01T10:00:00Z", "name": "a"}]}, {"json": [{"id": 1, "at": "2024-05-01T10:00:00Z", "name": "a"}, {"id": 2, "at": "2024-05-01T10:00:02Z", "name": "b"}]}]');
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/at', timestamp_column 'at', timestamp_param 'since', timestamp_boundary 'inclusive');
SELECT api.load('items');
ALTER FOREIGN TABLE items OPTIONS (ADD timestamp_format 'epoch');
SELECT api.fails('INSERT INTO target SELECT id, name FROM items');
SELECT checkpoint_fdw.accept_change('items');
SELECT api.load('items');
SELECT stands('items');
DROP FOREIGN TABLE items;


---- held back: a unit of time that was not over when the walk began
CREATE FUNCTION now_records(VARIADIC seconds int[]) RETURNS json LANGUAGE sql AS $$
	SELECT json_agg(json_build_object('id', n, 'at', to_char(now() AT TIME ZONE 'UTC' + s * interval '1 s', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'name', s) ORDER BY n)
	FROM unnest(seconds) WITH ORDINALITY u(s, n) $$;
CREATE FUNCTION http_date(t timestamptz) RETURNS text LANGUAGE sql AS $$ SELECT to_char(t AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"') $$;
-- the hour of day by the server's clock; a record of two hours ago, of now, of in two minutes, of in ten minutes
CREATE FOREIGN TABLE fresh (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/fresh', timestamp_column 'at', timestamp_param 'since', timestamp_granularity '1 hour');
BEGIN;
SELECT api.call('POST', '/_rule?hex', json_build_object('path', '/fresh', 'script', json_build_array(
	json_build_object('json', now_records(-7200, 0, 120, 600), 'headers', json_build_object('Date', http_date(now()))))))  IS NULL;
SELECT api.load('fresh');
SELECT keys, held_back, to_timestamp((position #>> '{since,value}')::int8 / 1e6) = date_trunc('second', now()) - interval '2 h' AS since_two_hours_ago
FROM checkpoint_fdw.status WHERE foreign_table = 'fresh'::regclass;
-- two hours later by its clock, they are complete
SELECT api.call('POST', '/_rule?hex', json_build_object('path', '/fresh', 'script', json_build_array(
	json_build_object('json', now_records(-7200, 0, 120, 600), 'headers', json_build_object('Date', http_date(now() + interval '2 h')))))) IS NULL;
SELECT regexp_replace(api.load('fresh'), 'since=.*', 'since=TIME');
SELECT keys, held_back, to_timestamp((position #>> '{since,value}')::int8 / 1e6) = date_trunc('second', now()) + interval '2 min' AS since_in_two_minutes
FROM checkpoint_fdw.status WHERE foreign_table = 'fresh'::regclass;
ROLLBACK;
-- a clock that is more than a day off is not believed
BEGIN;
SELECT api.call('POST', '/_rule?hex', json_build_object('path', '/fresh', 'script', json_build_array(
	json_build_object('json', now_records(-7200, 0), 'headers', json_build_object('Date', http_date(now() + interval '26 h')))))) IS NULL;
SELECT api.load('fresh');
ROLLBACK;
DROP FOREIGN TABLE fresh;


---- windows follow each other within one statement, also empty ones, up to the one that is not over
CALL api.filtered('items', '{"column": "at", "since": "since", "until": "until"}', api.dated(1, 6, '2024-05-01 12:00Z', '12 hours'));
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), at timestamptz, name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor',
           timestamp_column 'at', timestamp_param 'since', timestamp_initial '2024-05-01T00:00:00Z', until_param 'until', window '1 day');
SELECT api.load('items', 'LIMIT 2');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 2');
SELECT stands('items');
ALTER FOREIGN TABLE items OPTIONS (SET window '100 days');
SELECT api.load('items', 'LIMIT 1');
SELECT stands('items');
SELECT checkpoint_fdw.reset('items');
CREATE TABLE walked AS
	SELECT line, substring(line FROM 'since=([^&]*)') AS since, substring(line FROM 'until=([^&]*)') AS until, n
	FROM api.load('items') WITH ORDINALITY l(line, n);
SELECT line FROM walked WHERE n < 7;
CREATE FUNCTION as_time(encoded text) RETURNS timestamptz LANGUAGE sql AS $$ SELECT replace(encoded, '%3A', ':')::timestamptz $$;
SELECT bool_and(as_time(since) = as_time(before) - interval '1 s') AS without_a_gap, max(as_time(until)) > now() AS up_to_now, (max(as_time(until)) - interval '100 days') <= now() AS not_beyond
FROM (SELECT *, lag(until) OVER (ORDER BY n) AS before FROM walked WHERE n > 4) w;
SELECT stands('items') LIKE 'since %' AS stands;
-- the last one is asked for to its end again
SELECT count(*) FROM api.load('items');
DROP TABLE walked;
DROP FOREIGN TABLE items;
