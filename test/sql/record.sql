-- From a record's bytes to column values: paths, types, times, errors, keys.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = error;	-- most tables here have columns that nobody fills
-- nothing may depend on these
SET timezone = 'America/New_York';
SET datestyle = 'ISO, DMY';
SET intervalstyle = 'iso_8601';

-- How a statement ended: its text, or the error with its hint and the first line of its context.
CREATE FUNCTION outcome(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	message text;
	hint text;
	context text;
BEGIN
	EXECUTE statement INTO result;
	RETURN result;
EXCEPTION
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
		RETURN concat_ws(E'\n  ', SQLSTATE || ' ' || message, 'HINT: ' || nullif(hint, ''),
						 'CONTEXT: ' || (SELECT l FROM regexp_split_to_table(context, '\n') l WHERE l ~ 'record' LIMIT 1));
END $$;

-- What each record becomes in a foreign table of these columns; each is the only one of its page.
CREATE FUNCTION decoded(columns text, VARIADIC records text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	steps json := (SELECT json_agg(json_build_object('body', '[' || r || ']') ORDER BY i) FROM unnest(records) WITH ORDINALITY u(r, i));
BEGIN
	CALL api.script('/record', steps);
	EXECUTE 'CREATE FOREIGN TABLE t (' || columns || ') SERVER api OPTIONS (endpoint ''/record'')';
	FOR i IN 1 .. cardinality(records) LOOP
		RETURN NEXT records[i] || ' => ' || outcome('SELECT t::text FROM t');
	END LOOP;
	DROP FOREIGN TABLE t;
END $$;

-- The same for the one column "a".
CREATE FUNCTION value(type text, VARIADIC vals text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT decoded('a ' || type, VARIADIC (SELECT array_agg('{"a":' || v || '}' ORDER BY i) FROM unnest(vals) WITH ORDINALITY u(v, i)));
$$;

--
-- Where a value is
--

-- by name: exact, else another case or without underscores; an exact match wins
SELECT decoded('created_at text', '{"created_at":1}', '{"createdAt":1}', '{"CREATED_AT":1,"created_at":2}', '{"created_at":1,"CreatedAt":2}', '{"created-at":1}');
SELECT decoded('created_at text', '{"createdAt":1,"CreatedAt":2}', '{"createdAt":1,"CreatedAt":2,"created_at":3}', '{"createdAt":1,"createdAt":2}');
-- the exact name of one column is no candidate for another
SELECT decoded('a_b text, ab text', '{"a_b":1}', '{"aB":1}', '{"a_b":1,"ab":2}');
SELECT decoded('ab text, c text OPTIONS (path ''/aB'')', '{"aB":1}', '{"AB":1}');
-- an escaped name is a name like any other
SELECT decoded('ab text', '{"\u0061b":1}', '{"a\u0062":1,"\ud800":2,"\u0000":3}');
-- by pointer; the last of duplicate members counts, with all that is in it
SELECT decoded('login text OPTIONS (path ''/user/login''), tag text OPTIONS (path ''/tags/0''), x text OPTIONS (path ''/a~1b/~0''), y text OPTIONS (path ''/tags/1/y''), empty text OPTIONS (path ''/'')',
	'{"user":{"login":"me"},"tags":["t",{"y":3}],"a/b":{"~":5},"":7}',
	'{"user":{"login":"me","login":"you"},"tags":{"0":"zero"}}',
	'{"user":{"login":"me"},"user":{},"tags":null}',
	'{"user":"me","tags":[],"Login":1}');
-- the whole record, scalar or array; without a path a record must be an object
SELECT decoded('a text OPTIONS (path ''''), b jsonb OPTIONS (path '''')', '5', '"x"', '[1]', '{}');
SELECT decoded('a text OPTIONS (path ''/0''), b int OPTIONS (path ''/1'')', '["x",2]', '[]');
SELECT decoded('a text', '"x"', '[1]', '7');
-- by SQL/JSON path
SELECT decoded('a text OPTIONS (path ''$.tags[*] ? (@.n > 1).name''), b int OPTIONS (path ''$.tags.size()''), c jsonb OPTIONS (path ''$.s'')',
	'{"tags":[{"n":1,"name":"x"},{"n":2,"name":"y"}],"s":"s"}', '{"s":null}', '{"s":"\u0000"}');
SELECT decoded('a float8 OPTIONS (path ''$.a.double()'')', '{"a":"1.5"}', '{"a":"x"}');
SELECT decoded('a float8 OPTIONS (path ''$.a.double()'', on_error ''null'')', '{"a":"1.5"}', '{"a":"x"}', '{"a":"\u0000"}');

-- what is known besides the record
SELECT count(*) > 0 FROM api.log();
CALL api.script('/keyed', '[{"body": "{\"x\\u00e9\": {\"a\" : 1.0}, \"y\": [ ]}"}]', true);
CREATE FOREIGN TABLE keyed (k text OPTIONS (source 'key'), p int OPTIONS (source 'page'), at timestamptz OPTIONS (source 'fetched_at'), local timestamp OPTIONS (source 'fetched_at', timezone 'Asia/Tokyo'),
	r text OPTIONS (source 'record'), j json OPTIONS (source 'record'), b jsonb OPTIONS (source 'record'))
	SERVER api OPTIONS (endpoint '/keyed', records_path '/*');
SELECT k, p, at BETWEEN now() AND clock_timestamp(), at = local AT TIME ZONE 'Asia/Tokyo', r, j, b FROM keyed;
SELECT * FROM api.log();

--
-- Types
--

SELECT value('bigint', '9007199254740993', '9223372036854775807', '9223372036854775808', '-0', '1.0', '1e3', '-1.20e1', '1.5', '1e30', '"12"', '"1.0"', '""', 'true', '{"x":1}', 'null');
SELECT value('int', '3e9', '2147483647.0');
SELECT value('smallint', '40000');
SELECT value('numeric', '0.10', '18446744073709551616', '1e400', '1E-5');
SELECT value('numeric(5,2)', '1.005', '1000');
SELECT value('float8', '0.1', '1e400', '"NaN"');
SELECT value('boolean', 'true', 'false', '1', '0', '"yes"', '2', '""');
SELECT value('text', '"a\"\\\/\b\f\n\r\t\u00e9\u20ac\ud83d\ude00"', '1.50', '18446744073709551616', 'true', '{"x" : 1.10,"x":2}', '[ 1 ]', '""', 'null');
SELECT value('varchar(3)', '"abc"', '"abcd"', '1234');
SELECT value('char(3)', '"a"');
SELECT value('json', '"text"', '{"x" : 1.10,"x":2}', 'true', 'null', '"\u0000"');
SELECT value('jsonb', '"text"', '{"x" : 1.10,"x":2}', '1e400', 'null');
SELECT value('bytea', '"\\x00ff"');
SELECT value('bit(3)', '"101"', '"1010"');
SELECT value('uuid', '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"', '""');
SELECT value('int4range', '"[1,5)"');
SELECT value('interval', '"PT1H"');
SELECT value('tstzrange', '"[2024-01-01 00:00, 2024-02-01 00:00)"');
CREATE TYPE mood AS ENUM ('fine', 'so so');
SELECT value('mood', '"so so"', '"x"', '""');

SELECT value('int[]', '[1,2.0,null]', '[]', '[[1,2],[3,4]]', '[[1,2],[3]]', '[1,[2]]', '["x"]', '{}', '5', '"{1,2}"', '[[[[[[[1]]]]]]]', 'null');
SELECT value('text[]', '["a,b","c\"d","e\\f","","NULL",null,1.50,true,{"x" :1}," "]', '[["a"],["b"]]', '["\u0000"]');
SELECT value('jsonb[]', '["a",1,null,{"x":"y\"z"},[1,2]]');
SELECT value('box[]', '["(1,2),(3,4)","(5,6),(7,8)"]');

CREATE TYPE inner_type AS (x int, "whenAt" timestamptz);
CREATE TYPE outer_type AS (name text, one inner_type, dropped int, many inner_type[], j jsonb);
ALTER TYPE outer_type DROP ATTRIBUTE dropped;
SELECT value('outer_type', '{"name":"n\"o\\","one":{"X":1.0,"when_at":"2024-01-01"},"many":[{"x":1},null,{"whenAt":"2024-01-01T00:00:00+01"}],"j":{"k":"(,)"}}',
	'{}', '{"name":""}', '[1]', '"(a,,,)"', '{"one":{"x":"y"}}', '{"one":{"X":1,"_x":2}}', '{"one":[]}');

CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN present AS text NOT NULL;
CREATE DOMAIN day AS timestamptz CHECK (extract(hour FROM VALUE AT TIME ZONE 'UTC') = 0);
CREATE DOMAIN object AS jsonb CHECK (jsonb_typeof(VALUE) = 'object');
CREATE DOMAIN pair AS int[] CHECK (cardinality(VALUE) = 2);
CREATE DOMAIN dated AS inner_type;
SELECT value('positive', '1.0', '0', 'null');
SELECT value('positive[]', '[1,0]');
SELECT value('present', '"x"', 'null');
SELECT value('day', '"2024-01-01"', '"2024-01-01T01:00:00"');
SELECT value('object', '{}', '[]');
SELECT value('pair', '[1,2]', '[1]');
SELECT value('dated', '{"x":5}');

--
-- Dates and times
--

SELECT value('timestamptz', '"2024-01-31T10:20:30Z"', '"2024-01-31T10:20:30"', '"2024-01-31 10:20:30.123456789+0530"', '"2024-01-31T23:59:59,9999999-05:30"', '"2024-01-31T10:20:30.5 +01"',
	'"20240131T010203Z"', '"20240131"', '"2024-01-31"', '"2024-01-31T24:00:00Z"', '"2024-01-31T23:59:60Z"', '"2024-01-31T10:20 UTC"', '"2024-01-31 10:20:30 GMT"', '"2024-1-5 1:02:03"',
	'"12024-01-31T10:20:30Z"', '"infinity"', 'null');
SELECT value('timestamptz', '"2024-01-31 10:20:30 GMT+01:00"', '"01/02/2024"', '"Fri, 20 Dec 2013 16:52:25 GMT"', '1700000000', '20240131', '"1700000000"', '""', '"now"', '"2024-01-31T10"', '"2024-01-31T10:20:30."',
	'"2024-01-31 10:20:30 PST"', '"2024-01-31T10:20:30+01:00[Europe/Paris]"', '"0000-00-00 00:00:00"', '"2024-02-30"', '"2024-01-31T25:00:00Z"', 'true');
SELECT value('timestamptz(0)', '"2024-01-31T10:20:30.6Z"');
-- without a zone: the column's time zone; a timestamp or date column shows a zoned value there
SELECT value('timestamptz OPTIONS (timezone ''Europe/Berlin'')', '"2024-01-31T10:20:30"', '"2024-07-31"', '"2024-07-31T00:00:00Z"');
SELECT value('timestamp', '"2024-01-31T10:20:30"', '"2024-07-31T10:20:30-05:00"', '"2024-07-31"');
SELECT value('timestamp OPTIONS (timezone ''Europe/Berlin'')', '"2024-03-31T02:30:00"', '"2024-07-31T10:20:30Z"');
SELECT value('date OPTIONS (timezone ''Europe/Berlin'')', '"2024-07-31"', '"2024-07-31T23:30:00Z"', '"31.07.2024"');

SELECT value('timestamptz OPTIONS (format ''iso8601'')', '"2024-01-31T10:20:30Z"', '"infinity"', '20240131', '"x"');
SELECT value('timestamptz OPTIONS (format ''epoch'')', '1700000000', '"1700000000"', '1700000000.1234569', '"1700000000.5"', '1.7e9', '-1.5', '-0', '"x"', '""', '"1 "', 'true', '1e30', '99999999999999');
SELECT value('timestamptz OPTIONS (format ''epoch_ms'')', '1700000000123', '"1700000000123.456"');
SELECT value('timestamptz OPTIONS (format ''epoch_us'')', '1700000000123456', '1700000000123456.9');
SELECT value('timestamp OPTIONS (format ''epoch'', timezone ''Asia/Tokyo'')', '1700000000');
SELECT value('date OPTIONS (format ''epoch'', timezone ''Asia/Tokyo'')', '1700000000');
SELECT value('timestamptz[] OPTIONS (format ''epoch'')', '[1,2.5,null]', '["x"]');
SELECT value('timestamptz OPTIONS (format ''date'', timezone ''Asia/Tokyo'')', '"2024-01-31"', '20240131', '"2024-01-31T00:00:00Z"');
SELECT value('timestamptz OPTIONS (format ''http'')', '"Sun, 06 Nov 1994 08:49:37 GMT"', '"Sunday, 06-Nov-94 08:49:37 GMT"', '"Sun Nov  6 08:49:37 1994"', '"2024-01-31"', '784111777');
SELECT value('timestamptz OPTIONS (format ''DD/MM/YYYY HH24:MI'', timezone ''Asia/Tokyo'')', '"31/01/2024 10:20"', '"31/01/2024"', '"x"', '"31/13/2024 10:20"');
SELECT value('timestamptz OPTIONS (format ''Dy Mon DD HH24:MI:SS TZHTZM YYYY'')', '"Fri Dec 20 16:52:25 +0100 2013"');
SELECT value('timestamptz OPTIONS (format ''YYYY-MM-DD HH24:MI:SS "GMT"TZH:TZM'')', '"2024-01-31 10:20:30 GMT+01:00"');
SELECT value('timestamptz OPTIONS (format ''YYYYMMDDHH24MISS'')', '20240131102030');
SELECT value('timestamp OPTIONS (format ''DD/MM/YYYY HH24:MI TZH'', timezone ''Asia/Tokyo'')', '"31/01/2024 10:20 +00"');
SELECT value('date OPTIONS (format ''DD/MM/YYYY'')', '"31/01/2024"');
SELECT value('timestamptz OPTIONS (format ''HH24:MI'')', '"10:20"');
-- the session's settings are as they were
SHOW timezone;
SELECT timestamptz '2024-01-31 10:20:30Z', interval '1 hour';

--
-- What cannot be stored
--

SELECT value('text', '"a\u0000"', '"a\ud800"', '"\udc00\ud800"', '"\ud800\u0041"');
SELECT value('jsonb', '"a\u0000"', '"a\ud800"');
-- it does no harm where nobody wants it
SELECT decoded('a int', '{"a":1,"b":"\u0000","c":["\ud800"]}');
-- 100 bytes of a value at most
SELECT value('int', '"' || repeat('é', 60) || '"');
-- invalid UTF-8: {"a":"x<ff>","b":1}
CALL api.script('/latin', '[{"base64": "W3siYSI6Inj/IiwiYiI6MX1d"}]', true);
CREATE FOREIGN TABLE latin (a text, b int) SERVER api OPTIONS (endpoint '/latin');
CREATE FOREIGN TABLE latin_null (a text OPTIONS (on_error 'null'), b int, c int OPTIONS (path '$.b', on_error 'null')) SERVER api OPTIONS (endpoint '/latin');
SELECT outcome('SELECT latin::text FROM latin');
SELECT b FROM latin;
SELECT a IS NULL, b, c IS NULL FROM latin_null;

-- on_error null
SELECT decoded('a int OPTIONS (on_error ''null''), b text OPTIONS (on_error ''null''), c jsonb OPTIONS (on_error ''null''), d timestamptz OPTIONS (on_error ''null''), e int[] OPTIONS (on_error ''null''), f positive OPTIONS (on_error ''null''), g varchar(2) OPTIONS (on_error ''null''), h int',
	'{"a":"x","b":"\u0000","c":"\u0000","d":"01/02/2024","e":["x"],"f":0,"g":"abc","h":1}',
	'{"a":1.5,"b":"\ud800","c":"\ud800","d":"","e":[[1],[1,2]],"f":"","g":"abc","h":2}',
	'{"a":1,"b":"b","c":{},"d":"2024-01-31","e":[1],"f":1,"g":"ab","h":3}',
	'{"a":null}', '{"a":"x","h":"x"}');
SELECT value('present OPTIONS (on_error ''null'')', '"x"', '"\u0000"');

-- NOT NULL
SELECT decoded('a int NOT NULL', '{"a":1}', '{"a":null}', '{"b":1}');
SELECT decoded('a int OPTIONS (on_error ''null'') NOT NULL', '{"a":"x"}');
CALL api.script('/null', '[{"body": "[{\"a\": null, \"b\": 1}]"}]', true);
CREATE FOREIGN TABLE not_null (a int NOT NULL, b int) SERVER api OPTIONS (endpoint '/null');
SELECT outcome('SELECT b FROM not_null');	-- promised to the planner, so checked although nobody reads it

-- page, record and column in the context
CALL api.script('/context', '[{"body": "[{\"a\": 1}, {\"a\": \"x\"}]"}]', true);
CREATE FOREIGN TABLE context (a int) SERVER api OPTIONS (endpoint '/context');
SELECT * FROM context;

--
-- Columns that nobody fills
--

SET client_min_messages = warning;
CALL api.script('/missing', '[{"body": "[{\"login\": \"x\", \"user\": {\"login\": 1}, \"e\": null}, {\"late\": 1}]"}]', true);
CREATE FOREIGN TABLE missing (logn text, a text OPTIONS (path '/user/lgin'), b text OPTIONS (path '/usr/login'), c text OPTIONS (path '$.zz'), d text OPTIONS (path '/other'), e text, late text, k text OPTIONS (source 'key'))
	SERVER api OPTIONS (endpoint '/missing');
SELECT * FROM missing;
SELECT e FROM missing;

--
-- Keys
--

-- The keys that a load leaves behind.
CREATE FUNCTION keys(columns text, VARIADIC records text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CALL api.script('/keys', json_build_array(json_build_object('body', '{"data":[' || array_to_string(records, ',') || ']}')), true);
	EXECUTE 'CREATE FOREIGN TABLE t (' || columns || ') SERVER api OPTIONS (endpoint ''/keys'', records_path ''/data'', cursor_path ''/next'', cursor_param ''c'', checkpoint ''cursor'')';
	CREATE TABLE target AS SELECT FROM t;
	RETURN QUERY SELECT key FROM checkpoint_fdw.delivered_key ORDER BY key COLLATE "C";
	DROP TABLE target;
	DROP FOREIGN TABLE t;
EXCEPTION
	WHEN OTHERS THEN
		RETURN NEXT SQLSTATE || ' ' || SQLERRM;
END $$;
SET bytea_output = 'escape';
SET extra_float_digits = -10;
SELECT keys('id int OPTIONS (key ''true'')', '{"id":5.0}', '{"id":-1}');
SELECT keys('id text OPTIONS (key ''true'')', '{"id":"#5"}', '{"id":"#6"}', '{"id":"\"é"}', '{"id":""}', format('{"id":"%s"}', repeat('x', 64)), format('{"id":"%s"}', repeat('x', 65)));
SELECT keys('at timestamptz OPTIONS (key ''true'')', '{"at":"2024-07-31T00:00:00+02:00"}');
SELECT keys('a interval OPTIONS (key ''true''), b bytea OPTIONS (key ''true''), c float8 OPTIONS (key ''true'')', '{"a":"P1DT1H","b":"\\x00","c":0.1}');
SELECT keys('a text OPTIONS (key ''true''), n text, b int OPTIONS (key ''true'')', '{"a":"x\"","b":1,"n":2}');
SELECT keys('a text, b text', '{"a":1}', '{"a": 1}');
SELECT keys('id int OPTIONS (key ''true'')', '{"id":1}', '{"id":null}');
