-- EXPLAIN: what a scan will ask, who consumes, where it goes on; with ANALYZE what it did (DESIGN 4).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');      -- else a scan that stops early may have asked for one page more
CREATE TABLE target (id int, name text);

-- All lines of EXPLAIN, and of these ours: the rest depends on the server's version.
CREATE FUNCTION lines(command text, options text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	part text;
BEGIN
	FOR part IN EXECUTE format('EXPLAIN (COSTS OFF, %s) %s', options, command) LOOP
		RETURN QUERY SELECT btrim(line) FROM string_to_table(part, E'\n') line;
	END LOOP;
END $$;
CREATE FUNCTION explain(command text, options text DEFAULT '', pattern text DEFAULT '.') RETURNS SETOF text BEGIN ATOMIC
	SELECT line FROM lines(command, coalesce(nullif(options, ''), 'VERBOSE OFF')) line
	WHERE line ~ '^[<"]?(Request|Body|Pagination|Partition|Checkpoint|Consumer|Advance|Position|Streams|Fetched|Records|Times|Error|Pages|Retries|Bytes|New.Records|Known|Held|Rejected|HTTP|Backoff|Decode)'
	  AND line ~ pattern;
END;
\set what '''Advance|Consumer|Position|Error'''
\set analyze '''ANALYZE, TIMING OFF, SUMMARY OFF'''

CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');


---- nothing is asked and nothing is written
SELECT explain('SELECT * FROM items');
SELECT explain('INSERT INTO target SELECT * FROM items');
SELECT * FROM api.log();
SELECT count(*) FROM checkpoint_fdw.checkpoint;

---- why a statement advances, or not
SELECT explain('CREATE TABLE fresh AS SELECT * FROM items', '', :what);
SELECT explain('UPDATE target SET name = i.name FROM items i WHERE i.id = target.id', '', :what);
SELECT explain('DELETE FROM target USING items i WHERE i.id = target.id', '', :what);
SELECT explain('WITH i AS (INSERT INTO target SELECT * FROM items RETURNING id) SELECT count(*) FROM i', '', :what);
SELECT explain('MERGE INTO target USING items i ON i.id = target.id WHEN NOT MATCHED THEN INSERT VALUES (i.id, i.name)', '', :what);
SELECT explain('CREATE MATERIALIZED VIEW everything AS SELECT * FROM items', '', :what);
BEGIN READ ONLY;
SELECT explain('SELECT * FROM items', '', :what);
COMMIT;
SET checkpoint_fdw.advance = never;
SELECT explain('INSERT INTO target SELECT * FROM items', '', :what);
RESET checkpoint_fdw.advance;
SET checkpoint_fdw.consumer = 'other "one"';
SELECT explain('INSERT INTO target SELECT * FROM items', '', :what);
RESET checkpoint_fdw.consumer;
SELECT * FROM api.log();


---- ANALYZE: the figures, and where the scan has stopped
SELECT explain('INSERT INTO target SELECT * FROM items LIMIT 7', :analyze);
SELECT explain('SELECT * FROM items');
SELECT explain('SELECT * FROM items', :analyze);
SELECT explain('INSERT INTO target SELECT * FROM items', :analyze);
SELECT explain('INSERT INTO target SELECT * FROM items', :analyze);
SELECT count(*), count(DISTINCT id) FROM target;
SELECT * FROM api.log();
-- the beginning, once more
SET checkpoint_fdw.start = beginning;
SELECT explain('INSERT INTO target SELECT * FROM items', '', :what);
SELECT explain('INSERT INTO target SELECT * FROM items', :analyze, :what);
RESET checkpoint_fdw.start;
-- never asked
CALL api.clear();
SELECT explain('INSERT INTO target SELECT * FROM items LIMIT 0', :analyze);
SELECT explain('SELECT * FROM items WHERE now() < ''2000-01-01''', :analyze);
SELECT * FROM api.log();
-- times, and a retry that is waited for
CALL api.collection('items', 1, 25);
CALL api.overlay('/items', '{"1": {"delay": 50}, "2": {"status": 503, "headers": {"Retry-After": "0.05"}}}');
CREATE FUNCTION times(command text) RETURNS TABLE (asked boolean, waited boolean, backed_off boolean, decoded boolean, retries int) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE format('EXPLAIN (COSTS OFF, ANALYZE, FORMAT JSON) %s', command) INTO plan;
	plan := plan -> 0 -> 'Plan';
	RETURN QUERY SELECT (plan ->> 'HTTP Time')::float > 50, (plan ->> 'HTTP Wait Time')::float > 10, (plan ->> 'Backoff Time')::float >= 50, (plan ->> 'Decode Time')::float > 0, (plan ->> 'Retries')::int;
END $$;
SET checkpoint_fdw.start = beginning;
SELECT * FROM times('SELECT * FROM items');
SELECT regexp_replace(line, '\d+\.\d+', 'N', 'g') FROM explain('SELECT * FROM items', 'ANALYZE, SUMMARY OFF', 'Times') line;
RESET checkpoint_fdw.start;
CALL api.clear();


---- other formats
SELECT explain('SELECT * FROM items', 'FORMAT JSON');
CALL api.collection('items', 1, 25);
SELECT explain('INSERT INTO target SELECT * FROM items', :analyze || ', FORMAT YAML');
SELECT explain('SELECT * FROM items', :analyze || ', FORMAT XML');
CALL api.clear();


---- the request: every placeholder, and no secret
CREATE SERVER shop FOREIGN DATA WRAPPER checkpoint_fdw
  OPTIONS (base_url 'https://shop.test/v1/', auth 'api_key', api_key_name 'key', api_key_location 'query', headers '{"X-Common": "h1dden-too"}');
CREATE USER MAPPING FOR CURRENT_USER SERVER shop OPTIONS (api_key 'c4nary', headers '{"X-Secret": "c4nary"}');
CREATE FOREIGN TABLE orders (id int OPTIONS (key 'true'), at timestamptz) SERVER shop
  OPTIONS (endpoint '/orders?state=all', params 'q=a b&token=s3cret', offset_param 'start', limit_param 'count', page_size '50',
           timestamp_column 'at', timestamp_param 'since', until_param 'until', window '1 day', timestamp_initial '2024-01-01T00:00:00Z');
SELECT explain('SELECT * FROM orders');
CREATE FOREIGN TABLE posted (id int OPTIONS (key 'true')) SERVER shop
  OPTIONS (endpoint '/search', method 'POST', body '{"after": "{cursor}", "size": 10}', cursor_path '/next', checkpoint 'keys');
SELECT explain('SELECT * FROM posted');
SELECT explain('SELECT * FROM posted', 'VERBOSE');
CREATE FOREIGN TABLE numbered (id int) SERVER shop OPTIONS (endpoint '', params 'n={page}', pagination 'page_number', limit_param 'limit', page_size '5');
SELECT explain('SELECT * FROM numbered');
SELECT explain('INSERT INTO target (id) SELECT id FROM numbered');
CREATE FOREIGN TABLE delta (id int OPTIONS (key 'true')) SERVER shop
  OPTIONS (endpoint '/delta', next_url_path '/next', sync_token_path '/token', sync_token_param 'sync');
SELECT explain('SELECT * FROM delta');
SELECT count(*) AS "secrets shown" FROM
  (SELECT lines(format('SELECT * FROM %s', t), o) FROM unnest('{orders,posted,numbered,delta}'::text[]) t, unnest('{VERBOSE,FORMAT JSON}'::text[]) o) l(line)
  WHERE line ~ 'c4nary|h1dden|s3cret';


---- partitions
CREATE FOREIGN TABLE issues (repo text OPTIONS (param 'repo'), state text OPTIONS (param 'state'), id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/repos/{+repo}/issues', params 'state={state}', checkpoint 'cursor', pagination 'link_header');
CALL api.script('/repos/a/b/issues', '[{"json": [{"id": 1}]}]', repeat => true);
CALL api.script('/repos/c/d/issues', '[{"json": [{"id": 2}]}]', repeat => true);
SELECT explain('SELECT * FROM issues WHERE repo = ''a/b'' AND state = ''open''');
SELECT explain('INSERT INTO target (id) SELECT id FROM issues WHERE repo = ''a/b'' AND state = ''open''', :analyze, :what);
SELECT explain('INSERT INTO target (id) SELECT id FROM issues WHERE repo = ''a/b'' AND state = ''open''', '', :what);
-- another one has not begun; of several no position is shown
SELECT explain('INSERT INTO target (id) SELECT id FROM issues WHERE repo = ''a/b'' AND state = ''closed''', '', :what);
SELECT explain('SELECT * FROM issues WHERE repo IN (''a/b'', ''c/d'') AND state = ''open''');
SELECT explain('INSERT INTO target (id) SELECT id FROM issues WHERE repo IN (''a/b'', ''c/d'') AND state = ''open''', :analyze);
-- values that are not known before the statement runs
CREATE TABLE repos (name text);
INSERT INTO repos VALUES ('a/b');
ANALYZE repos;
SELECT explain('SELECT i.* FROM repos r JOIN issues i ON i.repo = r.name AND i.state = ''open''');
SELECT explain('SELECT * FROM issues WHERE repo = (SELECT name FROM repos) AND state = lower(''OPEN'') || current_setting(''bytea_output'')');
PREPARE read_repo(text) AS SELECT * FROM issues WHERE repo = $1 AND state = 'open';
SET plan_cache_mode = force_generic_plan;
SELECT explain('EXECUTE read_repo(''a/b'')');
RESET plan_cache_mode;
-- what is missing is shown, and no error
SELECT explain('SELECT * FROM issues WHERE state = ''open''');
SELECT * FROM api.log();


---- what would make the statement fail
-- options
CREATE FOREIGN TABLE wrong (id int, at timestamptz) SERVER api OPTIONS (endpoint '/wrong', timestamp_column 'aat', timestamp_param 'since');
SELECT explain('SELECT * FROM wrong');
SELECT explain('SELECT * FROM wrong', 'FORMAT JSON');
DROP USER MAPPING FOR CURRENT_USER SERVER shop;
SELECT explain('SELECT * FROM delta');
-- an option that the position depends on
ALTER FOREIGN TABLE items OPTIONS (SET params 'limit=5');
SELECT explain('INSERT INTO target SELECT * FROM items');
ALTER FOREIGN TABLE items OPTIONS (SET params 'limit=10');
-- the plan guard
SELECT explain('INSERT INTO target SELECT * FROM items ORDER BY id LIMIT 3', '', :what);
SET checkpoint_fdw.plan_guard = warning;
SELECT explain('INSERT INTO target SELECT * FROM items ORDER BY id LIMIT 3', '', :what);
RESET checkpoint_fdw.plan_guard;
-- targets
CREATE UNLOGGED TABLE volatile (id int, name text);
SELECT explain('INSERT INTO volatile SELECT * FROM items', '', :what);
CREATE TEMP TABLE short_lived (id int, name text);
SELECT explain('INSERT INTO short_lived SELECT * FROM items', '', :what);
-- another target than before
CREATE TABLE target2 (id int, name text);
SELECT explain('INSERT INTO target2 SELECT * FROM items', '', :what);
-- a table without a checkpoint may feed all of them
ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'none');
SELECT explain('INSERT INTO volatile SELECT * FROM items', '', :what);
ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'cursor');
-- the session is as it was
SELECT count(*) FROM target2;


---- roles: who may not select from the table sees no position
CREATE ROLE explain_reader;
CREATE VIEW items_view AS SELECT * FROM items;
GRANT SELECT ON items_view TO explain_reader;
GRANT SELECT, INSERT ON target TO explain_reader;
SET ROLE explain_reader;
SELECT explain('SELECT * FROM items_view', '', :what);
SELECT explain('INSERT INTO target SELECT * FROM items_view', '', :what);
RESET ROLE;
GRANT SELECT ON items TO explain_reader;
SET ROLE explain_reader;
SELECT explain('SELECT * FROM items_view', '', :what);
RESET ROLE;
REVOKE ALL ON target, items_view, items FROM explain_reader;
DROP ROLE explain_reader;


---- auto_explain, also of a statement in a function
LOAD 'auto_explain';
CALL api.collection('items', 1, 25);
SELECT checkpoint_fdw.reset('items');
CREATE FUNCTION load_items() RETURNS bigint LANGUAGE sql AS $$
	WITH load AS (INSERT INTO target SELECT * FROM items RETURNING id) SELECT count(*) FROM load;
$$;
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_nested_statements = on;
SET auto_explain.log_analyze = on;
SET auto_explain.log_timing = off;
SELECT load_items();
SET auto_explain.log_min_duration = -1;
SELECT records, pages FROM checkpoint_fdw.batches WHERE foreign_table = 'items'::regclass ORDER BY batch DESC LIMIT 1;
