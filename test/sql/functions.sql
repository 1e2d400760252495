-- Functions about checkpoints: what each does to position, keys and batches; who may; rollback; bad input.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE TABLE target (id int, name text);

-- Where the streams of a table stand.
CREATE FUNCTION stands(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT concat_ws(' ', consumer || CASE WHEN partition <> '{}' THEN ' ' || partition::text ELSE '' END || ':', position_text, '(' || (position - '{loop,started}'::text[])::text || ')', keys || ' keys',
	                 CASE WHEN pending THEN 'pending' END, CASE WHEN walk_since IS NOT NULL THEN 'open' END, CASE WHEN checked_at IS NOT NULL THEN 'end seen' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass ORDER BY consumer, partition;
END;
-- The keys of a table's streams: those that are known, and in brackets those that are kept for rewind.
CREATE FUNCTION keys(source text) RETURNS text BEGIN ATOMIC
	SELECT string_agg(CASE WHEN gone IS NULL THEN key ELSE '(' || key || ')' END, ' ' ORDER BY key::int)
	FROM checkpoint_fdw.delivered_key JOIN checkpoint_fdw.checkpoint c ON c.id = checkpoint_id WHERE foreign_table = source::regclass;
END;
-- Number of the batch that took so many records, the newest one.
CREATE FUNCTION batch_of(source text, took int) RETURNS bigint BEGIN ATOMIC
	SELECT max(batch) FROM checkpoint_fdw.batches WHERE foreign_table = source::regclass AND records = took;
END;
CREATE FUNCTION batches(source text) RETURNS text BEGIN ATOMIC
	SELECT string_agg(records::text, ', ' ORDER BY batch) FROM checkpoint_fdw.batches WHERE foreign_table = source::regclass;
END;

CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE pages (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/page', params 'per_page=10', records_path '/data', page_param 'page', checkpoint 'offset');
CREATE FOREIGN TABLE known (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'keys');
CREATE FOREIGN TABLE changes (id int OPTIONS (key 'true'), at timestamptz) SERVER api
  OPTIONS (endpoint '/changes', checkpoint 'timestamp', timestamp_column 'at', timestamp_param 'since');
CREATE FOREIGN TABLE numbered (id int OPTIONS (key 'true'), version bigint) SERVER api
  OPTIONS (endpoint '/changes', checkpoint 'timestamp', timestamp_column 'version', timestamp_param 'since');
CREATE FOREIGN TABLE seconds (id int OPTIONS (key 'true'), at bigint) SERVER api
  OPTIONS (endpoint '/changes', checkpoint 'timestamp', timestamp_column 'at', timestamp_param 'since', timestamp_format 'epoch');
CREATE FOREIGN TABLE plain (id int) SERVER api OPTIONS (endpoint '/items', records_path '/data');


---- reset: everything about a stream is forgotten, and the next load begins at the beginning
SELECT api.load('items', 'LIMIT 12');
SELECT stands('items');
SELECT checkpoint_fdw.reset('items');
SELECT stands('items');
SELECT keys('items'), batches('items');
SELECT api.load('items');
-- a rollback brings it back
BEGIN;
SELECT checkpoint_fdw.reset('items');
SELECT stands('items');
ROLLBACK;
SELECT stands('items');
SELECT batches('items');
-- by consumer, by partition
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "a"}}', consumer, partition)
FROM (VALUES ('one', '{"repo": "a"}'::jsonb), ('one', '{"repo": "b"}'), ('two', '{"repo": "a"}')) v (consumer, partition);
SELECT stands('items');
SELECT checkpoint_fdw.reset('items', 'one', '{"repo": "b"}');
SELECT checkpoint_fdw.reset('items', 'nobody');
SELECT checkpoint_fdw.reset('items', partition => '{"repo": "a"}');
SELECT stands('items');
SELECT checkpoint_fdw.reset('items', 'default');
SELECT checkpoint_fdw.reset('items');


---- set_position
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "c3RhcnQ6MTA="}}');
SELECT stands('items');
SELECT api.load('items', 'LIMIT 3');
SELECT stands('items'), keys('items');
-- the keys of the page before say nothing at another page
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "c3RhcnQ6MjA="}, "pages": 3}');
SELECT stands('items'), keys('items');
SELECT api.load('items');
SELECT keys('items');
-- it is a batch without records: rewind undoes it, keys and all
SELECT batches('items');
SELECT checkpoint_fdw.rewind(batch_of('items', 5));
SELECT stands('items'), keys('items');
SELECT checkpoint_fdw.rewind(batch_of('items', 0));
SELECT stands('items'), keys('items');
SELECT api.load('items');
-- null is the beginning
SELECT checkpoint_fdw.set_position('items', NULL);
SELECT stands('items');
SELECT api.load('items', 'LIMIT 1');
BEGIN;
SELECT checkpoint_fdw.set_position('items', '{"page": {"first": true}}');
SELECT stands('items');
ROLLBACK;
SELECT stands('items');
SELECT checkpoint_fdw.reset('items');
-- the setting names the consumer; partition null is all of them
SET checkpoint_fdw.consumer = 'three';
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "a"}}', partition => '{"repo": "a"}');
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "b"}}');
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "c"}}', 'four');
RESET checkpoint_fdw.consumer;
SELECT stands('items');
SELECT checkpoint_fdw.reset('items');
-- a page number
SELECT checkpoint_fdw.set_position('pages', '{"page": {"number": 3}}');
SELECT stands('pages');
SELECT api.load('pages');
SELECT stands('pages');
-- mode keys: what has been delivered stays known
SELECT api.load('known', 'LIMIT 12');
SELECT stands('known');
SELECT checkpoint_fdw.set_position('known', NULL);
SELECT stands('known');
SELECT api.load('known');
-- mode timestamp: a time as the API or people write it
SELECT checkpoint_fdw.set_position('changes', '{"since": "2024-05-01T12:00:00Z"}');
SELECT stands('changes');
SELECT checkpoint_fdw.set_position('changes', '{"since": "2024-05-01 14:00+02"}');
SELECT stands('changes');
SELECT checkpoint_fdw.set_position('changes', '{"since": {"text": "2024-05-01T12:00:00Z", "value": 1714564800000000}, "high": {"value": 1714564800000001}, "pages": 2, "started": 1714651200000000}');
SELECT stands('changes');
SELECT walk_since AT TIME ZONE 'UTC' FROM checkpoint_fdw.status WHERE foreign_table = 'changes'::regclass;
SELECT checkpoint_fdw.set_position('numbered', '{"since": 42}');
SELECT checkpoint_fdw.set_position('numbered', '{"since": "43"}', 'text');
SELECT stands('numbered');
SELECT checkpoint_fdw.set_position('seconds', '{"since": 1714564800}');
SELECT checkpoint_fdw.set_position('seconds', '{"since": "2024-05-01"}', 'text');
SELECT stands('seconds');

---- positions that mean nothing
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '[]')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '"a"')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"page": {}}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"page": {"curser": "a"}}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"pages": -1}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "a"}, "sinse": "2024-05-01"}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"since": "2024-05-01"}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"since": {"value": 1}}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('items', '{"sync_token": "a"}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('changes', '{"since": "yesterday noon-ish"}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('changes', '{"since": ""}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('changes', '{"since": "infinity"}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('changes', '{"since": true}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('changes', '{"since": {"text": "2024-05-01"}}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('numbered', '{"since": "2024-05-01"}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position('target', '{}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.set_position(NULL, '{}')$$);
SELECT api.fails($$SELECT checkpoint_fdw.reset(NULL)$$);
SELECT api.fails($$SELECT checkpoint_fdw.reset('target')$$);
SELECT stands('items');
SELECT stands('changes');


---- restart_walk: the stored page goes, all else stays, and nothing is doubled
SELECT checkpoint_fdw.reset('known');
SELECT api.load('known', 'LIMIT 12');
SELECT checkpoint_fdw.restart_walk('known', 'somebody else');
SELECT stands('known');
BEGIN;
SELECT checkpoint_fdw.restart_walk('known');
ROLLBACK;
SELECT stands('known');
SELECT checkpoint_fdw.restart_walk('known');
SELECT stands('known');
SELECT api.load('known');
SELECT stands('known');
SELECT checkpoint_fdw.restart_walk('known');
SELECT api.fails($$SELECT checkpoint_fdw.restart_walk('items')$$);
SELECT api.fails($$SELECT checkpoint_fdw.restart_walk('pages')$$);
SELECT api.fails($$SELECT checkpoint_fdw.restart_walk('plain')$$);


---- rewind: batches come again, and with them the keys that they had found and dropped
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 12');
SELECT api.load('items', 'LIMIT 4');
SELECT api.load('items', 'LIMIT 6');
SELECT keys('items');
SELECT batches('items');
BEGIN;
SELECT checkpoint_fdw.rewind(batch_of('items', 4));
SELECT keys('items');
ROLLBACK;
SELECT keys('items');
SELECT checkpoint_fdw.rewind(batch_of('items', 4));
SELECT stands('items');
SELECT keys('items');
SELECT batches('items');
SELECT api.load('items', 'LIMIT 9');
SELECT checkpoint_fdw.rewind(batch_of('items', 12));
SELECT stands('items');
SELECT keys('items'), batches('items');
SELECT api.load('items', 'LIMIT 1');
-- in the mode keys, too
SELECT checkpoint_fdw.reset('known');
SELECT api.load('known', 'LIMIT 12');
SELECT api.load('known', 'LIMIT 3');
SELECT api.load('known');
SELECT checkpoint_fdw.rewind(batch_of('known', 3));
SELECT stands('known');
SELECT api.load('known');
-- all was read again from the beginning: that can be undone as well
BEGIN;
SET LOCAL checkpoint_fdw.start = beginning;
SELECT api.load('known', 'LIMIT 2');
COMMIT;
SELECT stands('known');
SELECT checkpoint_fdw.rewind(batch_of('known', 2));
SELECT stands('known');
SELECT api.load('known');
-- only the stream of that batch moves
SET checkpoint_fdw.consumer = 'other';
SELECT api.load('known', 'LIMIT 7');
RESET checkpoint_fdw.consumer;
SELECT checkpoint_fdw.rewind(batch_of('known', 7));
SELECT stands('known');
-- what is no longer kept cannot be undone
SET checkpoint_fdw.batch_history = 2;
SELECT checkpoint_fdw.reset('items');
SELECT api.load('items', 'LIMIT 11');
SELECT batch_of('items', 11) AS first \gset
SELECT api.load('items', 'LIMIT 2');
SELECT api.load('items', 'LIMIT 8');
SELECT batches('items');
-- (a key that batch 8 dropped is kept, those that an older one dropped are not)
SELECT keys('items');
SELECT regexp_replace(line, ' \d+ ', ' N ') FROM api.fails('SELECT checkpoint_fdw.rewind(' || :first || ')') line;
SELECT api.fails('SELECT checkpoint_fdw.rewind(-1)');
SELECT checkpoint_fdw.rewind(NULL);
RESET checkpoint_fdw.batch_history;


---- fork: a second target begins where the first one stands
SELECT checkpoint_fdw.fork('items', 'default', 'copy');
SELECT stands('items');
CALL api.append('items', 26, 27);
SET checkpoint_fdw.consumer = 'copy';
SELECT api.load('items');
RESET checkpoint_fdw.consumer;
SELECT api.load('items');
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "a"}}', 'parts', '{"repo": "a"}'), checkpoint_fdw.set_position('items', '{"page": {"cursor": "a"}}', 'parts', '{"repo": "b"}');
SELECT checkpoint_fdw.fork('items', 'parts', 'other parts');
SELECT stands('items');
SELECT checkpoint_fdw.fork('items', 'nobody', 'somebody');
SELECT api.fails($$SELECT checkpoint_fdw.fork('items', 'default', 'copy')$$);
SELECT api.fails($$SELECT checkpoint_fdw.fork('items', 'default', 'default')$$);
SELECT api.fails($$SELECT checkpoint_fdw.fork('items', 'default', NULL)$$);
SELECT api.fails($$SELECT checkpoint_fdw.fork('items', NULL, 'x')$$);
SELECT api.fails($$SELECT checkpoint_fdw.fork('items', 'default', '')$$);
-- its batches are its own
SET checkpoint_fdw.consumer = 'copy';
SELECT checkpoint_fdw.rewind(batch) FROM checkpoint_fdw.batches WHERE foreign_table = 'items'::regclass AND consumer = 'copy';
SELECT api.load('items');
RESET checkpoint_fdw.consumer;
SELECT checkpoint_fdw.reset('items');


---- accept_change: a position whose options have changed
SELECT api.load('items', 'LIMIT 12');
ALTER FOREIGN TABLE items OPTIONS (SET params 'limit=10&sort=id');
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT checkpoint_fdw.accept_change('items', 'somebody else');
BEGIN;
SELECT checkpoint_fdw.accept_change('items');
ROLLBACK;
SELECT api.fails('INSERT INTO target SELECT * FROM items');
SELECT checkpoint_fdw.accept_change('items');
SELECT stands('items');
SELECT api.load('items');
-- where keys are looked up anywhere, the stored page goes
SELECT checkpoint_fdw.reset('known');
SELECT api.load('known', 'LIMIT 12');
ALTER FOREIGN TABLE known OPTIONS (SET params 'limit=20');
SELECT checkpoint_fdw.accept_change('known');
SELECT stands('known');
SELECT api.load('known');
-- reset and set_position take the options as they are, too
ALTER FOREIGN TABLE items OPTIONS (SET params 'limit=20');
SELECT checkpoint_fdw.set_position('items', '{"page": {"cursor": "c3RhcnQ6MjA="}}');
SELECT api.load('items', 'LIMIT 2');


---- who may
CREATE ROLE regress_functions_reader;
GRANT SELECT ON items TO regress_functions_reader;
SELECT batch_of('items', 2) AS last \gset
SET ROLE regress_functions_reader;
SELECT api.fails(format('SELECT checkpoint_fdw.%s', call))
FROM unnest('{"reset(''items'')","set_position(''items'', NULL)","restart_walk(''items'')","accept_change(''items'')","fork(''items'', ''default'', ''x'')"}'::text[]) call;
SELECT api.fails('SELECT checkpoint_fdw.rewind(' || :last || ')');
-- the words are for all who may read the table, the position is not; nothing is said of other tables
SELECT foreign_table, position_text, position IS NULL FROM checkpoint_fdw.status;
SELECT DISTINCT foreign_table FROM checkpoint_fdw.batches;
SELECT api.fails('SELECT * FROM checkpoint_fdw.checkpoint');
SELECT api.fails('SELECT * FROM checkpoint_fdw.delivered_key');
SELECT api.fails('SELECT * FROM checkpoint_fdw.batch');
SELECT api.fails('SELECT * FROM checkpoint_fdw.rejected_record');
SELECT api.fails('DELETE FROM checkpoint_fdw.completed_call');
RESET ROLE;
ALTER FOREIGN TABLE items OWNER TO regress_functions_reader;
SET ROLE regress_functions_reader;
SELECT checkpoint_fdw.rewind(:last), checkpoint_fdw.reset('items', 'nobody');
SELECT position IS NULL FROM checkpoint_fdw.status;
RESET ROLE;
ALTER FOREIGN TABLE items OWNER TO CURRENT_USER;
DROP OWNED BY regress_functions_reader;
DROP ROLE regress_functions_reader;
