-- Param columns: values from the statement fill the request, and each has a checkpoint of its own (DESIGN 4, WHERE).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');      -- else a load that stops early may have asked for one page more
CREATE TABLE target (list text, id int, name text);

-- Load what a query gives into the target: the records in order, and the requests.
CREATE FUNCTION load(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	records text;
BEGIN
	EXECUTE format('WITH load AS (INSERT INTO target %s RETURNING list, id) SELECT string_agg(concat(list, id), '' '') FROM load', query) INTO records;
	RETURN NEXT 'loaded ' || coalesce(records, 'nothing');
	RETURN QUERY SELECT '  ' || line FROM api.log() line;
END $$;
CREATE FUNCTION look(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	records text;
BEGIN
	EXECUTE format('SELECT string_agg(concat(list, id), '' '') FROM (%s) q (list, id)', query) INTO records;
	RETURN NEXT 'read ' || coalesce(records, 'nothing');
	RETURN QUERY SELECT '  ' || line FROM api.log() line;
END $$;
-- Where the streams of a table stand.
CREATE FUNCTION stands(source text) RETURNS SETOF text BEGIN ATOMIC
	SELECT concat_ws(' ', partition, position - 'loop', keys || ' keys', CASE WHEN pending THEN 'pending' END, CASE WHEN checked_at IS NOT NULL THEN 'end seen' END)
	FROM checkpoint_fdw.status WHERE foreign_table = source::regclass ORDER BY partition;
END;

CALL api.collection('a', 1, 5);
CALL api.collection('b', 11, 13);
CALL api.collection('c', 21, 21);
CREATE FOREIGN TABLE lists (list text OPTIONS (param 'list'), id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/{list}', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');


---- one value
SELECT load($$SELECT * FROM lists WHERE list = 'b'$$);
SELECT stands('lists');
TABLE target;
SELECT load($$SELECT * FROM lists WHERE 'b' = list$$);
-- its checkpoint is not that of another value
SELECT look($$SELECT list, id FROM lists WHERE list = 'a'$$);
SELECT load($$SELECT * FROM lists WHERE list = 'a' LIMIT 3$$);
SELECT stands('lists');
CALL api.append('b', 14, 14);
SELECT load($$SELECT * FROM lists WHERE list = 'b'$$);
SELECT checkpoint_fdw.reset('lists', partition => '{"list": "b"}');
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');

---- several: in sorted order, each once, without null
SELECT load($$SELECT * FROM lists WHERE list IN ('b', 'a', NULL, 'b')$$);
SELECT stands('lists');
SELECT load($$SELECT * FROM lists WHERE list = ANY (string_to_array('c,a', ','))$$);
SELECT checkpoint_fdw.reset('lists');
-- a LIMIT stops at a list, which goes on there; the ones behind it have no checkpoint yet
SELECT load($$SELECT * FROM lists WHERE list IN ('c', 'b', 'a') LIMIT 7$$);
SELECT stands('lists');
SELECT load($$SELECT * FROM lists WHERE list IN ('c', 'b', 'a')$$);
SELECT stands('lists');
SELECT batch - min(batch) OVER () AS batch, partition, records, pages, requests FROM checkpoint_fdw.batches WHERE foreign_table = 'lists'::regclass ORDER BY batch;
SELECT checkpoint_fdw.reset('lists');

---- no value: no rows, no request, no lock, no checkpoint
SELECT load($$SELECT * FROM lists WHERE list = NULL$$);
SELECT load($$SELECT * FROM lists WHERE list = (SELECT name FROM lists WHERE false)$$);
SELECT load($$SELECT * FROM lists WHERE list IN (NULL, NULL)$$);
SELECT load($$SELECT * FROM lists WHERE list = ANY ('{}')$$);
SELECT load($$SELECT * FROM lists WHERE list = ANY (NULL::text[])$$);
SELECT stands('lists');

---- no condition: an error, but only when a row is asked for
SELECT api.fails('SELECT * FROM lists');
SELECT api.fails('INSERT INTO target SELECT * FROM lists WHERE id = 5');
SELECT api.fails($$SELECT * FROM lists WHERE list LIKE 'a'$$);
SELECT api.fails($$SELECT * FROM lists WHERE list <> 'a'$$);
SELECT api.fails($$SELECT * FROM lists WHERE list = chr(97 + (0 * random())::int)$$);
SELECT api.fails($$SELECT * FROM lists WHERE list = 'a' COLLATE "C"$$);
SELECT api.fails($$SELECT * FROM lists WHERE list = name$$);
SELECT * FROM lists LIMIT 0;
CREATE TABLE shape AS SELECT * FROM lists LIMIT 0;
EXPLAIN (COSTS off) SELECT * FROM lists;
SELECT count(*) FROM lists WHERE false;

---- other conditions on such columns are checked before the API is asked: a list whose rows nobody wants is not taken
SELECT load($$SELECT * FROM lists WHERE list IN ('a', 'b', 'c') AND list > 'a' AND list IN ('a', 'c', 'd')$$);
SELECT load($$SELECT * FROM lists WHERE list = 'a' AND list = lower('B')$$);
SELECT stands('lists');
-- those on other columns are not
SELECT load($$SELECT * FROM lists WHERE list = 'b' AND id > 12$$);
SELECT load($$SELECT * FROM lists WHERE list = 'b'$$);
SELECT checkpoint_fdw.reset('lists');

---- prepared statements, with custom and generic plans
PREPARE one(text) AS INSERT INTO target SELECT * FROM lists WHERE list = $1 RETURNING list, id;
PREPARE several(text[]) AS INSERT INTO target SELECT * FROM lists WHERE list = ANY ($1) RETURNING list, id;
SET plan_cache_mode = force_generic_plan;
EXECUTE one('c');
EXECUTE one('c');
EXECUTE one(NULL);
EXECUTE several('{b,c}');
SET plan_cache_mode = force_custom_plan;
SELECT checkpoint_fdw.reset('lists');
EXECUTE one('c');
EXECUTE several('{b,c}');
RESET plan_cache_mode;
SELECT * FROM api.log();
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');


---- joins
CREATE TABLE names (name text, wanted boolean);
INSERT INTO names VALUES ('b', true), ('a', true), ('c', false), (NULL, true);
SELECT load($$SELECT lists.* FROM names JOIN lists ON lists.list = names.name$$);
SELECT checkpoint_fdw.reset('lists');
SELECT load($$SELECT lists.* FROM lists JOIN names ON names.name = lists.list WHERE names.wanted$$);
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');
SELECT load($$SELECT lists.* FROM lists, names WHERE list = names.name AND names.name = 'c'$$);
SELECT load($$SELECT lists.* FROM lists WHERE list IN (SELECT name FROM names WHERE wanted)$$);
SELECT checkpoint_fdw.reset('lists');
SELECT load($$SELECT coalesce(list, '-'), id, lists.name FROM names LEFT JOIN lists ON list = names.name$$);
SELECT checkpoint_fdw.reset('lists');
SELECT load($$SELECT lists.* FROM (VALUES ('c'), ('a')) v (name) JOIN lists ON list = v.name || ''$$);
SELECT checkpoint_fdw.reset('lists');
-- with a condition that the join cannot give
SELECT load($$SELECT lists.* FROM names JOIN lists ON list = names.name AND list < 'c'$$);
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');
-- a join that could only be made with the whole table
SELECT api.fails('SELECT * FROM names FULL JOIN lists ON list = names.name');

---- LATERAL
SELECT load($$SELECT l.* FROM names, LATERAL (SELECT * FROM lists WHERE list = names.name) l$$);
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');
-- with a LIMIT of its own: each list is left where it stopped
SELECT load($$SELECT l.* FROM names, LATERAL (SELECT * FROM lists WHERE list = names.name LIMIT 3) l$$);
SELECT stands('lists');
SELECT load($$SELECT l.* FROM names, LATERAL (SELECT * FROM lists WHERE list = names.name LIMIT 1) l$$);
SELECT stands('lists');
SELECT load($$SELECT l.* FROM names, LATERAL (SELECT * FROM lists WHERE list = names.name) l$$);
SELECT stands('lists');
-- a list again that has nothing is normal
INSERT INTO names VALUES ('a', true), ('b', true), ('a', true);
SELECT load($$SELECT l.* FROM names, LATERAL (SELECT * FROM lists WHERE list = names.name OFFSET 0) l$$);
-- one that had something is not
CALL api.append('a', 6, 6);
SELECT api.fails($$INSERT INTO target SELECT l.* FROM names, LATERAL (SELECT * FROM lists WHERE list = names.name OFFSET 0) l$$);
SELECT count(*) FROM api.log();
SELECT stands('lists');
SELECT load($$SELECT l.* FROM (SELECT DISTINCT name FROM names ORDER BY name) names, LATERAL (SELECT * FROM lists WHERE list = names.name OFFSET 0) l$$);
-- also where a LIMIT left it
SELECT checkpoint_fdw.reset('lists');
SELECT api.fails($$INSERT INTO target SELECT l.* FROM (VALUES ('a'), ('b'), ('a')) v (name), LATERAL (SELECT * FROM lists WHERE list = v.name LIMIT 1) l$$);
SELECT stands('lists');
-- looking on may repeat itself
SELECT look($$SELECT l.list, l.id FROM (VALUES ('c'), ('b'), ('c')) v (name), LATERAL (SELECT * FROM lists WHERE list = v.name LIMIT 1) l$$);
TRUNCATE names, target;

---- everything again, of one list
SELECT load($$SELECT * FROM lists WHERE list IN ('b', 'c')$$);
SET checkpoint_fdw.start = beginning;
SELECT load($$SELECT * FROM lists WHERE list = 'c'$$);
SELECT load($$SELECT * FROM lists WHERE list = 'a' LIMIT 1$$);
RESET checkpoint_fdw.start;
SELECT load($$SELECT * FROM lists WHERE list IN ('a', 'b', 'c')$$);
-- and for another consumer
SET checkpoint_fdw.consumer = 'other';
SELECT load($$SELECT * FROM lists WHERE list = 'c'$$);
RESET checkpoint_fdw.consumer;
SELECT checkpoint_fdw.reset('lists');
TRUNCATE target;

---- ON CONFLICT
CREATE UNIQUE INDEX target_key ON target (list, id);
INSERT INTO target VALUES ('a', 2, 'old'), ('b', 12, 'old');
INSERT INTO target SELECT * FROM lists WHERE list IN ('a', 'b') ON CONFLICT (list, id) DO UPDATE SET name = excluded.name;
SELECT string_agg(concat(list, id, ' ', name), ', ' ORDER BY id) FROM target;
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');
DROP INDEX target_key;
SELECT count(*) FROM api.log();

---- CREATE TABLE AS says what to rewind
DO $$ BEGIN PERFORM setval('checkpoint_fdw.batch_seq', 1000); END $$;
CREATE TABLE made AS SELECT * FROM lists WHERE list = 'c';
SELECT checkpoint_fdw.reset('lists');
DROP TABLE made;
CREATE TABLE made AS SELECT * FROM lists WHERE list IN ('c', 'b');
SELECT count(*) FROM api.log();


---- two scans of one statement, or of one in another: not of the same list
SELECT checkpoint_fdw.reset('lists');
SELECT api.fails($$INSERT INTO target SELECT * FROM lists WHERE list = 'c' UNION ALL SELECT * FROM lists WHERE list = 'c'$$);
SELECT api.fails($$INSERT INTO target SELECT * FROM lists WHERE list = 'a' UNION ALL SELECT * FROM lists WHERE list IN ('a', 'b')$$);
SELECT load($$SELECT * FROM lists WHERE list = 'c' UNION ALL SELECT * FROM lists WHERE list IN ('a', 'b')$$);
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');
-- as one, below a UNION ALL
CREATE VIEW both_lists AS SELECT * FROM lists UNION ALL SELECT 'z', 0, 'local';
SELECT load($$SELECT * FROM both_lists WHERE list = 'c'$$);
SELECT load($$SELECT both_lists.* FROM (VALUES ('b')) v (name) JOIN both_lists ON list = v.name$$);
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');


-- a trigger that reads another list, and the same
CREATE TABLE copied (list text, id int, name text);
CREATE FUNCTION copy_list() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO copied SELECT * FROM lists WHERE list = TG_ARGV[0]; RETURN NULL; END $$;
CREATE TRIGGER other AFTER INSERT ON target FOR EACH STATEMENT EXECUTE FUNCTION copy_list('c');
SELECT load($$SELECT * FROM lists WHERE list = 'b'$$);
SELECT stands('lists');
SELECT checkpoint_fdw.reset('lists');
SELECT api.fails($$INSERT INTO target SELECT * FROM lists WHERE list IN ('a', 'c')$$);
DROP TRIGGER other ON target;
SELECT checkpoint_fdw.reset('lists');


---- errors name the partition
\set SHOW_CONTEXT errors
CALL api.overlay('/b', '{"2": {"status": 400}}');
SELECT load($$SELECT * FROM lists WHERE list IN ('a', 'b')$$);
SELECT * FROM lists WHERE list = '..';
SELECT * FROM lists;
\set SHOW_CONTEXT never
SELECT count(*) FROM api.log();
SELECT stands('lists');


---- values in a request: encoded, and with + with their slashes; in the query, a header, a body
SELECT json_build_array(json_build_object('json', api.records(1, 1)))::text AS one \gset
CREATE FOREIGN TABLE encoded (list text OPTIONS (param 'repo'), id int, name text) SERVER api OPTIONS (endpoint '/repos/{repo}/issues');
CREATE FOREIGN TABLE kept (list text OPTIONS (param 'repo'), id int, name text) SERVER api
  OPTIONS (endpoint '/repos/{+repo}/issues', params 'q={repo}&x=1', headers '{"X-Repo": "<{repo}>"}');
CALL api.script('/repos/a%2Fb%20%3F/issues', :'one');
CALL api.script('/repos/a/b%20%3F/issues', :'one');
SELECT * FROM encoded WHERE list = 'a/b ?';
SELECT * FROM kept WHERE list = 'a/b ?';
SELECT * FROM api.log('x-repo');
SELECT api.fails($$SELECT * FROM kept WHERE list = 'a/../b'$$);
SELECT api.fails($$SELECT * FROM kept WHERE list = E'a\nb'$$);
CREATE FOREIGN TABLE posted (text text OPTIONS (param 't'), n int OPTIONS (param 'n'), x numeric OPTIONS (param 'x'), f float8 OPTIONS (param 'f'), b boolean OPTIONS (param 'b'), j jsonb OPTIONS (param 'j'), id int) SERVER api
  OPTIONS (endpoint '/posted', method 'POST', body '{"t": "{t}", "n": "{n}", "x": "{x}", "f": "{f}", "b": "{b}", "j": "{j}", "all": "{t} {n} {x} {f} {b}"}');
CALL api.script('/posted', :'one', repeat => true);
SELECT * FROM posted WHERE text = 'say "a"' AND n = 1 AND x = 1.50 AND f = 0.1 AND b AND j = '{"a": [1]}';
SELECT * FROM posted WHERE text = '' AND n = -1 AND x = 'NaN' AND f = 1e100 AND NOT b AND j = '1';
SELECT * FROM api.log();


---- equal values are one partition, however they are written and whatever the session's settings are
CREATE FOREIGN TABLE typed (day date OPTIONS (param 'day'), at timestamptz OPTIONS (param 'at'), n bigint OPTIONS (param 'n'), x numeric OPTIONS (param 'x'),
  f float8 OPTIONS (param 'f'), code char(5) OPTIONS (param 'code'), flag boolean OPTIONS (param 'flag'), id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/typed', params 'day={day}&at={at}&n={n}&x={x}&f={f}&code={code}&flag={flag}', checkpoint 'cursor');
CALL api.script('/typed', :'one', repeat => true);
INSERT INTO target (id) SELECT id FROM typed
  WHERE day = '2024-03-04' AND at = '2024-03-04 12:00+02' AND n = 5 AND x = 1.50 AND f = 0.1 AND code = 'ab' AND flag RETURNING id;
SET timezone = 'Asia/Tokyo';
SET datestyle = 'German';
SET extra_float_digits = -3;
INSERT INTO target (id) SELECT id FROM typed
  WHERE day = '2024-03-04'::timestamptz AND at = '04.03.2024 19:00:00'::timestamp AND n = 5::smallint AND x = 1.5 AND f = 0.1 AND code = 'ab   ' AND flag = true RETURNING id;
INSERT INTO target (id) SELECT id FROM typed
  WHERE day = '2024-03-04' AND at = '2024-03-04T10:00:00Z' AND n = ANY ('{5,5}'::int[]) AND x IN (1.500, 1.5) AND f = 0.1 AND code = 'ab' AND flag RETURNING id;
SELECT day, at, n, x, f, code || '.', flag FROM typed WHERE day = '2024-03-04' AND at = '2024-03-04T10:00:00Z' AND n = 6 AND x = 1.5 AND f = 0.1 AND code = 'ab' AND flag;
RESET timezone;
RESET datestyle;
RESET extra_float_digits;
SELECT * FROM api.log();
SELECT partition FROM checkpoint_fdw.status WHERE foreign_table = 'typed'::regclass;
-- a value that the column cannot have
CREATE FOREIGN TABLE daily (list date OPTIONS (param 'day'), id int OPTIONS (key 'true'), name text) SERVER api OPTIONS (endpoint '/daily/{day}', checkpoint 'cursor');
CALL api.script('/daily/2024-03-05', :'one');
SELECT load($$SELECT '-', id, name FROM daily WHERE list = '2024-03-04 12:00'::timestamp$$);
SELECT load($$SELECT '-', id, name FROM daily WHERE list = ANY ('{2024-03-04 12:00, 2024-03-05 00:00}'::timestamp[])$$);


---- a mode in which a record can come again at any place: keys are of one list
CREATE FOREIGN TABLE keyed (list text OPTIONS (param 'list'), id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/keyed', params 'list={list}', records_path '/data', checkpoint 'keys');
CALL api.collection('keyed', 1, 3);
SELECT load($$SELECT * FROM keyed WHERE list IN ('a', 'b') LIMIT 4$$);
SELECT load($$SELECT * FROM keyed WHERE list IN ('a', 'b')$$);
CALL api.append('keyed', 4, 4);
SELECT load($$SELECT * FROM keyed WHERE list IN ('a', 'b')$$);
SELECT stands('keyed');


---- several param columns: all combinations
CREATE FOREIGN TABLE pairs (list text OPTIONS (param 'org'), n int OPTIONS (param 'n'), id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/{org}/{n}', checkpoint 'cursor');
DO $$
BEGIN
	FOR n IN 1..10 LOOP
		CALL api.script('/a/' || n, json_build_array(json_build_object('json', api.records(n, n))));
		CALL api.script('/b/' || n, json_build_array(json_build_object('json', api.records(n, n))));
	END LOOP;
END $$;
SELECT load($$SELECT list, id, name FROM pairs WHERE list IN ('b', 'a') AND n = ANY ('{10, 9}')$$);
SELECT stands('pairs');
-- from one table, from two, from a table and the statement
CREATE TABLE wanted (org text, n int);
INSERT INTO wanted VALUES ('a', 3), ('b', 4);
SELECT load($$SELECT pairs.list, pairs.id, pairs.name FROM wanted JOIN pairs ON list = org AND pairs.n = wanted.n$$);
SELECT load($$SELECT pairs.list, pairs.id, pairs.name FROM (VALUES ('a'), ('b')) o (org), (VALUES (1), (2)) p (n), pairs WHERE list = org AND pairs.n = p.n ORDER BY 1, 2$$);
SELECT load($$SELECT pairs.list, pairs.id, pairs.name FROM wanted JOIN pairs ON list = org WHERE pairs.n = 5$$);
SELECT load($$SELECT pairs.list, pairs.id, pairs.name FROM pairs WHERE (list, n) IN (SELECT org, n + 4 FROM wanted)$$);
SELECT api.fails($$SELECT * FROM pairs WHERE list = 'a'$$);


---- foreign tables as partitions: the bound has the value
CREATE TABLE parent (list text, id int, name text) PARTITION BY LIST (list);
CREATE FOREIGN TABLE part_a (id int OPTIONS (key 'true'), list text OPTIONS (param 'list'), name text) SERVER api
  OPTIONS (endpoint '/{list}', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE part_bc (list text OPTIONS (param 'list'), id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/{list}', params 'limit=2', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
ALTER TABLE parent ATTACH PARTITION part_a FOR VALUES IN ('a');
ALTER TABLE parent ATTACH PARTITION part_bc FOR VALUES IN ('c', NULL, 'b');
CREATE TABLE part_z PARTITION OF parent FOR VALUES IN ('z');
INSERT INTO parent VALUES ('z', 0, 'local');
CALL api.overlay('/b', '{}');
SELECT load($$SELECT * FROM parent$$);
SELECT stands('part_a');
SELECT stands('part_bc');
SELECT checkpoint_fdw.reset('part_a') + checkpoint_fdw.reset('part_bc');
-- less of it: by pruning when planned, when run, and by value
SELECT load($$SELECT * FROM parent WHERE list IN ('c', 'z')$$);
SELECT load($$SELECT * FROM parent WHERE list = 'd'$$);
PREPARE of_parent(text) AS SELECT * FROM parent WHERE list = $1;
SET plan_cache_mode = force_generic_plan;
EXECUTE of_parent('b');
EXECUTE of_parent('z');
SELECT * FROM api.log();
RESET plan_cache_mode;
-- not outside its bound
SELECT load($$SELECT * FROM part_bc WHERE list IN ('a', 'b')$$);
SELECT load($$SELECT * FROM part_bc WHERE list = 'a'$$);
SELECT stands('part_bc');
-- joined, with values from the other table and from the bounds
INSERT INTO names VALUES ('a'), ('c');
SELECT look($$SELECT parent.list, parent.id FROM names JOIN parent ON list = names.name ORDER BY 1, 2$$);


---- without a checkpoint: no lock, and each rescan asks again
CREATE FOREIGN TABLE plain (list text OPTIONS (param 'list'), id int, name text) SERVER api OPTIONS (endpoint '/{list}', records_path '/data');
SELECT load($$SELECT plain.* FROM (VALUES ('c'), ('b'), ('c')) v (name), LATERAL (SELECT * FROM plain WHERE list = v.name OFFSET 0) plain$$);
SELECT stands('plain');
SELECT load($$SELECT * FROM plain WHERE list = 'c' UNION ALL SELECT * FROM plain WHERE list = 'c'$$);


---- options that do not fit together: found when the table is read, not when it is planned
CREATE FOREIGN TABLE odd (repo text OPTIONS (param 'repo'), org text, id int, name text) SERVER api OPTIONS (endpoint '/repos/{rpo}');
EXPLAIN (COSTS off) SELECT * FROM odd;
SELECT api.fails($$SELECT * FROM odd WHERE repo = 'a'$$);
ALTER FOREIGN TABLE odd OPTIONS (SET endpoint '/repos/{repo}');
SELECT api.fails($$SELECT * FROM odd WHERE repo = 'a' LIMIT 0$$);
ALTER FOREIGN TABLE odd OPTIONS (SET endpoint '/repos/{repo}/{rpo}');
SELECT api.fails($$SELECT * FROM odd WHERE repo = 'a'$$);
ALTER FOREIGN TABLE odd OPTIONS (SET endpoint '/repos/{repo}/{+organisation}/{cursor}', ADD cursor_path '/next');
SELECT api.fails($$SELECT * FROM odd WHERE repo = 'a'$$);
ALTER FOREIGN TABLE odd ALTER org OPTIONS (ADD param 'repo');
SELECT api.fails($$SELECT * FROM odd WHERE repo = 'a'$$);
CREATE FOREIGN TABLE by_param (list text OPTIONS (param 'list'), id int) SERVER api OPTIONS (endpoint '/{list}', keyset_column 'list', cursor_param 'after');
SELECT api.fails($$SELECT * FROM by_param WHERE list = 'a'$$);
CREATE FOREIGN TABLE timed (list timestamptz OPTIONS (param 'list'), id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/{list}', checkpoint 'timestamp', timestamp_column 'list');
SELECT api.fails($$SELECT * FROM timed WHERE list = '2024-01-01'$$);
-- the same parameter twice
CREATE FOREIGN TABLE since (list timestamptz OPTIONS (param 'from'), id int OPTIONS (key 'true'), at timestamptz) SERVER api
  OPTIONS (endpoint '/list', params 'since={from}', checkpoint 'timestamp', timestamp_column 'at', timestamp_param 'since');
ALTER FOREIGN TABLE by_param OPTIONS (DROP keyset_column, DROP cursor_param);
-- a member of the record with the column's name is not looked at
CALL api.script('/a', '[{"json": [{"list": "other", "id": 1}]}]');
SELECT * FROM by_param WHERE list = 'a';
-- another name for the parameter is another meaning
SELECT checkpoint_fdw.reset('lists');
SELECT load($$SELECT * FROM lists WHERE list = 'c'$$);
ALTER FOREIGN TABLE lists ALTER list OPTIONS (SET param 'name');
ALTER FOREIGN TABLE lists OPTIONS (SET endpoint '/{name}');
SELECT load($$SELECT * FROM lists WHERE list = 'c'$$);


---- thousands in one statement, on one connection
CREATE FOREIGN TABLE many (list int OPTIONS (param 'n'), id int OPTIONS (key 'true'), name text) SERVER api OPTIONS (endpoint '/many', params 'n={n}', checkpoint 'cursor');
CALL api.script('/many', '[{"json": [{"id": 1, "name": "x"}, {"id": 2, "name": "y"}]}]', repeat => true);
SELECT count(*) >= 0 FROM api.log();
TRUNCATE target;
CREATE TABLE memory (list int, bytes bigint);
CREATE FUNCTION note_memory() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO memory SELECT NEW.list::int, sum(used_bytes) FROM pg_backend_memory_contexts; RETURN NEW; END $$;
CREATE TRIGGER note BEFORE INSERT ON target FOR EACH ROW WHEN (NEW.list IN ('200', '2000') AND NEW.id = 1) EXECUTE FUNCTION note_memory();
INSERT INTO target SELECT * FROM many WHERE list = ANY (ARRAY(SELECT generate_series(2000, 1, -1)));
SELECT count(*), count(DISTINCT list), sum(id) FROM target;
SELECT count(*), count(DISTINCT request), count(DISTINCT substring(request FROM 'conn=\d+')) FROM api.log('conn') request;
SELECT count(*), count(DISTINCT partition), count(DISTINCT position) FROM checkpoint_fdw.status WHERE foreign_table = 'many'::regclass;
-- memory grows with them by an entry of the registry only
SELECT (b.bytes - a.bytes) / (b.list - a.list) < 500 FROM memory a, memory b WHERE a.list < b.list;
INSERT INTO target SELECT many.* FROM generate_series(1990, 2010) g JOIN many ON many.list = g;
SELECT count(*), count(DISTINCT list), sum(id) FROM target;
SELECT count(*) FROM api.log();
