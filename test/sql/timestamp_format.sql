-- Checkpoint 'timestamp': formats of records and requests, types of the column.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET timezone = 'Asia/Tokyo';     -- of no account
SET datestyle = 'German, DMY';
SET intervalstyle = 'sql_standard';

-- A table with this column "at", read twice from an API that has one record with this value: what the loads ask, and where the stream stands.
CREATE FUNCTION asks(value json, type text, column_options text DEFAULT '', options text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CALL api.script('/at', json_build_array(json_build_object('json', json_build_array(json_build_object('id', 1, 'at', value)))), repeat => true);
	EXECUTE format('CREATE FOREIGN TABLE stamped (id int OPTIONS (key ''true''), at %s %s) SERVER api OPTIONS (endpoint ''/at'', timestamp_column ''at''%s%s)',
	               type, 'OPTIONS (' || nullif(column_options, '') || ')', ', timestamp_param ''since''', ', ' || nullif(options, ''));
	CREATE TABLE got AS SELECT id, at FROM stamped;
	INSERT INTO got SELECT * FROM stamped;
	RETURN QUERY SELECT (SELECT string_agg(substr(line, 9), ', then ') FROM api.log() line)
	                    || (SELECT format(' since %s = %s', position #> '{since,text}', position #> '{since,value}') FROM checkpoint_fdw.status WHERE foreign_table = 'stamped'::regclass)
	                    || (SELECT CASE WHEN count(*) > 1 THEN ' doubled' ELSE '' END FROM got);
	DROP TABLE got;
	DROP FOREIGN TABLE stamped;
EXCEPTION WHEN OTHERS THEN
	RETURN QUERY SELECT * FROM api.fails(format('DO $x$ BEGIN RAISE EXCEPTION USING ERRCODE = %L, MESSAGE = %L; END $x$', SQLSTATE, SQLERRM)) line WHERE line NOT LIKE '  %';
END $$;
SET client_min_messages = warning;


---- ISO 8601
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz');
SELECT asks('"2024-05-01T10:00:00.5Z"', 'timestamptz');
SELECT asks('"2024-05-01T10:00:00.5+02:00"', 'timestamptz', '', $$timestamp_granularity '1 ms'$$);
SELECT asks('"2024-05-01T10:00:00.123456Z"', 'timestamptz', '', $$timestamp_granularity '1 us'$$);
SELECT asks('"2024-05-01T10:00:00.123456Z"', 'timestamptz', '', $$timestamp_granularity '10 ms'$$);
SELECT asks('"2024-05-01T10:00:00.123456Z"', 'timestamptz', '', $$timestamp_granularity '100 ms'$$);
-- zones and what a zone-less time means
SELECT asks('"2024-05-01 10:00:00"', 'timestamptz', $$timezone 'America/New_York'$$);
SELECT asks('"2024-05-01 10:00:00"', 'timestamp', $$timezone 'America/New_York'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamp', $$timezone 'America/New_York'$$);
SELECT asks('"2024-05-01 10:00"', 'timestamp');
-- the text as it came, where nothing is subtracted; but not what says more than the column holds
SELECT asks('"2024-05-01T12:00:00+02:00"', 'timestamptz', '', $$timestamp_boundary 'inclusive'$$);
SELECT asks('"2024-05-01t10:00:00z"', 'timestamptz', $$format 'iso8601'$$, $$timestamp_boundary 'inclusive'$$);
SELECT asks('"2024-05-01T10:00:00.000000999Z"', 'timestamptz', '', $$timestamp_boundary 'inclusive', timestamp_granularity '1 us'$$);
SELECT asks('"2024-05-01T10:00:00.600Z"', 'timestamptz(0)', '', $$timestamp_boundary 'inclusive'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', '', $$timestamp_boundary 'inclusive', timestamp_format 'epoch'$$);

---- epoch, in columns of times and of numbers
SELECT asks('1714557600', 'timestamptz', $$format 'epoch'$$);
SELECT asks('1714557600.75', 'timestamptz', $$format 'epoch'$$, $$timestamp_boundary 'inclusive'$$);
SELECT asks('1714557600.75', 'timestamptz', $$format 'epoch'$$, $$timestamp_boundary 'inclusive', timestamp_granularity '10 ms'$$);
SELECT asks('1714557600123', 'timestamptz', $$format 'epoch_ms'$$);
SELECT asks('1714557600123456', 'timestamptz', $$format 'epoch_us'$$);
SELECT asks('"1714557600"', 'timestamptz', $$format 'epoch'$$, $$timestamp_boundary 'inclusive'$$);
SELECT asks('1714557600', 'bigint', $$format 'epoch'$$);
SELECT asks('1714557600', 'int', '', $$timestamp_format 'epoch', lookback '1 hour'$$);
SELECT asks('1714557600123', 'bigint', $$format 'epoch_ms'$$);
SELECT asks('1714557600123456', 'bigint', '', $$timestamp_format 'epoch_us'$$);
SELECT asks('1714557600.123456', 'numeric', $$format 'epoch'$$, $$timestamp_granularity '1 us'$$);
SELECT asks('1.714557600123e9', 'numeric', $$format 'epoch'$$, $$timestamp_granularity '1 ms', timestamp_boundary 'inclusive'$$);
SELECT asks('-1.5', 'numeric', $$format 'epoch'$$, $$timestamp_granularity '1 ms'$$);
SELECT asks('-1.5', 'numeric', $$format 'epoch'$$, $$timestamp_boundary 'inclusive'$$);
SELECT asks('1714557600', 'timestamptz', $$format 'epoch'$$, $$timestamp_format 'iso8601'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', '', $$timestamp_format 'epoch_ms'$$);
SELECT asks('1714557600123', 'bigint', $$format 'epoch_ms'$$, $$timestamp_format 'epoch'$$);
SELECT asks('1714557600123', 'bigint', $$format 'epoch_ms'$$, $$timestamp_format 'iso8601', timestamp_granularity '1 ms'$$);
SELECT asks('1714557600', 'int', $$format 'epoch'$$, $$timestamp_format 'date'$$);
SELECT asks('1714557600', 'int', '', $$timestamp_format 'date'$$);

---- numbers that are no times
SELECT asks('41', 'bigint');
SELECT asks('41', 'smallint', '', $$timestamp_boundary 'inclusive'$$);
SELECT asks('41', 'int', '', $$lookback '10', timestamp_granularity '5'$$);
SELECT asks('41.9', 'numeric');
SELECT asks('-41.9', 'numeric', '', $$timestamp_boundary 'inclusive'$$);
SELECT asks('9223372036854775807', 'bigint');
SELECT asks('-9223372036854775808', 'bigint');
SELECT asks('9223372036854775808', 'numeric');
SELECT asks('"NaN"', 'numeric');
SELECT asks('9223372036854775807', 'bigint', '', $$timestamp_format 'epoch'$$);

---- date
SELECT asks('"2024-05-01"', 'date');
SELECT asks('"2024-05-01"', 'date', '', $$timestamp_boundary 'inclusive', lookback '36 hours'$$);
SELECT asks('"2024-05-01"', 'date', $$timezone 'Pacific/Auckland'$$, $$timestamp_format 'iso8601'$$);
SELECT asks('"2024-05-01"', 'date', $$timezone 'Pacific/Auckland'$$, $$timestamp_format 'epoch', timestamp_boundary 'inclusive'$$);
SELECT asks('"2024-05-01T22:00:00-08:00"', 'date', '', $$timestamp_boundary 'inclusive'$$);
-- a filter by days for records with times
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', '', $$timestamp_format 'date'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', '', $$timestamp_format 'date', timestamp_boundary 'inclusive', timestamp_granularity '1 s'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', $$timezone 'Pacific/Auckland'$$, $$timestamp_format 'date', timestamp_boundary 'inclusive'$$);
SELECT asks('"2024-05-01T23:00:00Z"', 'timestamptz', $$timezone 'America/Los_Angeles'$$, $$timestamp_format 'date', timestamp_boundary 'inclusive'$$);
SELECT asks('"5874897-12-31"', 'date');
SELECT asks('"infinity"', 'date');

---- HTTP date, patterns
SELECT asks('"Wed, 01 May 2024 10:00:00 GMT"', 'timestamptz', $$format 'http'$$);
SELECT asks('"2024-02-29T10:00:00Z"', 'timestamptz', '', $$timestamp_format 'http', timestamp_boundary 'inclusive', timestamp_granularity '1 ms'$$);
SELECT asks('"01.05.2024 10:00"', 'timestamp', $$format 'DD.MM.YYYY HH24:MI', timezone 'Europe/Berlin'$$);
SELECT asks('"01.05.2024 10:00"', 'timestamptz', $$format 'DD.MM.YYYY HH24:MI', timezone 'Europe/Berlin'$$, $$timestamp_boundary 'inclusive'$$);
SELECT asks('"01.05.2024 10:00"', 'timestamptz', $$format 'DD.MM.YYYY HH24:MI', timezone 'Europe/Berlin'$$, $$timestamp_format 'YYYYMMDD"T"HH24MISS'$$);
SELECT asks('"2024-05-01T10:00:00.123Z"', 'timestamptz', '', $$timestamp_format 'YYYY-MM-DD HH24:MI:SS.MS', timestamp_granularity '1 ms'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', $$timezone 'Asia/Kolkata'$$, $$timestamp_format 'YYYY-MM-DD HH24:MI:SSTZH:TZM'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', '', $$timestamp_format '"YY MI" YYYY-MM-DD'$$);
SELECT asks('"2024-05-01T10:00:00Z"', 'timestamptz', '', $$timestamp_format 'YYYY-MM'$$);

---- far away
SELECT asks('"0001-01-01T00:00:00Z"', 'timestamptz', '', $$lookback '5 days'$$);
SELECT asks('"9999-12-31T23:59:59Z"', 'timestamptz', '', $$timestamp_boundary 'inclusive'$$);
SELECT asks('"294276-12-31T23:59:59Z"', 'timestamptz');

---- hours that come twice, and that do not come: standard time
SELECT asks('"2024-11-03 01:30:00"', 'timestamp', $$timezone 'America/New_York'$$);
SELECT asks('"2024-03-10 02:30:00"', 'timestamp', $$timezone 'America/New_York'$$);

---- what a person writes: timestamp_initial
CREATE FUNCTION begins(initial text, type text, column_options text DEFAULT '', options text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CALL api.script('/at', '[{"json": []}]', repeat => true);
	EXECUTE format('CREATE FOREIGN TABLE stamped (id int OPTIONS (key ''true''), at %s %s) SERVER api OPTIONS (endpoint ''/at'', timestamp_column ''at'', timestamp_param ''since'', timestamp_initial %L%s)',
	               type, 'OPTIONS (' || nullif(column_options, '') || ')', initial, ', ' || nullif(options, ''));
	RETURN QUERY SELECT * FROM api.fails('SELECT id FROM stamped');
	DROP FOREIGN TABLE stamped;
END $$;
SELECT begins('2024-05-01', 'timestamptz', $$timezone 'Europe/Berlin'$$);
SELECT begins('2024-05-01', 'timestamptz', $$timezone 'Europe/Berlin'$$, $$timestamp_format 'epoch'$$);
SELECT begins('1714521600', 'timestamptz', $$timezone 'Europe/Berlin'$$, $$timestamp_format 'epoch'$$);
SELECT begins('2024-05-01T10:00:00Z', 'bigint', $$format 'epoch_ms'$$);
SELECT begins('2024-05-01', 'timestamptz', $$format 'http'$$);
SELECT begins('Wed, 01 May 2024 10:00:00 GMT', 'timestamptz', $$format 'http'$$);
SELECT begins('01.05.2024', 'timestamptz', $$format 'DD.MM.YYYY'$$);
SELECT begins('2024-05-01', 'timestamptz', $$format 'DD.MM.YYYY'$$);
SELECT begins('2024-05-01', 'timestamptz', '', $$timestamp_format 'date'$$);
SELECT begins('2024-05-01', 'date', $$timezone 'Europe/Berlin'$$, $$timestamp_format 'iso8601'$$);
SELECT begins('41', 'int');
SELECT begins('4.1', 'int');
SELECT begins('2024-05-01', 'int');
SELECT begins('yesterday', 'timestamptz');
SELECT begins('infinity', 'timestamptz');

---- in a JSON body: numbers as numbers, texts as texts
CALL api.script('/at', '[{"json": [{"id": 1, "at": 41}]}]', repeat => true);
CREATE FOREIGN TABLE posted (id int OPTIONS (key 'true'), at bigint) SERVER api
  OPTIONS (endpoint '/at', method 'POST', body '{"filter": {"after": "{since}"}, "text": "after {since}"}', checkpoint 'timestamp', timestamp_column 'at', timestamp_initial '0041');
CREATE TABLE got AS SELECT * FROM posted;
INSERT INTO got SELECT * FROM posted;
SELECT * FROM api.log();
ALTER FOREIGN TABLE posted ALTER at TYPE timestamptz, ALTER at OPTIONS (ADD format 'epoch'), OPTIONS (ADD timestamp_format 'iso8601', SET timestamp_initial '1');
SELECT checkpoint_fdw.reset('posted');
SELECT * FROM posted;
SELECT * FROM api.log();
