-- Rules that need server, user mapping and columns: checked when a table is read.
\pset format unaligned
\pset tuples_only on
CALL api.collection('items', 1, 2);

-- Run a command, undo it, and tell how it ended.
CREATE FUNCTION attempt(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE command;
	RAISE EXCEPTION USING ERRCODE = 'ZZ000';
EXCEPTION
	WHEN SQLSTATE 'ZZ000' THEN
		RETURN 'ok';
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN concat_ws(E'\n  ', SQLSTATE || ' ' || message, 'DETAIL: ' || nullif(detail, ''), 'HINT: ' || nullif(hint, ''));
END $$;


---- keyset_column is a column that can be read from a record
CREATE FOREIGN TABLE by_key (id int, "Name" text OPTIONS (path '$.name'), raw jsonb OPTIONS (source 'record'), gone int) SERVER api
  OPTIONS (endpoint '/items/keyset', records_path '/data', keyset_column 'id', cursor_param 'starting_after');
ALTER FOREIGN TABLE by_key DROP COLUMN gone;
SELECT attempt('SELECT id FROM by_key');
ALTER FOREIGN TABLE by_key OPTIONS (SET keyset_column 'name');
SELECT attempt('SELECT id FROM by_key');
ALTER FOREIGN TABLE by_key OPTIONS (SET keyset_column 'gone');
SELECT attempt('SELECT id FROM by_key');
ALTER FOREIGN TABLE by_key OPTIONS (SET keyset_column 'ctid');
SELECT attempt('SELECT id FROM by_key');
ALTER FOREIGN TABLE by_key OPTIONS (SET keyset_column 'Name');
SELECT attempt('SELECT id FROM by_key');
ALTER FOREIGN TABLE by_key OPTIONS (SET keyset_column 'raw');
SELECT attempt('SELECT id FROM by_key');


---- timestamp_column is a column whose values compare as time passes
CREATE FOREIGN TABLE by_time (id int OPTIONS (key 'true'), at timestamptz, name text, raw jsonb OPTIONS (source 'record'),
	seen timestamptz OPTIONS (source 'fetched_at'), day date, n bigint) SERVER api
  OPTIONS (endpoint '/items', records_path '/data', timestamp_column 'at', timestamp_param 'since');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'att');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'changed');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'name');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'raw');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'seen');
SELECT attempt('SELECT id FROM by_time');
-- formats and spans that do not fit its type
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'n', ADD timestamp_format 'iso8601');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (DROP timestamp_format, ADD lookback '1 day');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET lookback '100', ADD timestamp_initial 'yesterday');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_initial '99999999999999999999');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_initial '100');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (ADD window '100', ADD until_param 'until');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (DROP window, DROP until_param);
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_column 'at');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_initial 'infinity');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_initial '01.02.2024');
SELECT attempt('SELECT id FROM by_time');
ALTER FOREIGN TABLE by_time OPTIONS (SET timestamp_initial '2024-02-01T00:00:00Z', SET lookback '9999999999');
SELECT attempt('SELECT id FROM by_time');


---- checkpoint keys goes with key columns
CREATE FOREIGN TABLE all_keys (id int, name text) SERVER api OPTIONS (endpoint '/items', records_path '/data', checkpoint 'keys');
SELECT attempt('SELECT id FROM all_keys');
ALTER FOREIGN TABLE all_keys ALTER id OPTIONS (ADD key 'true');
SELECT attempt('SELECT id FROM all_keys');


---- format goes with times, and with numbers that are some
CREATE FOREIGN TABLE formatted (id int OPTIONS (format 'epoch')) SERVER api OPTIONS (endpoint '/items', records_path '/data');
SELECT attempt('SELECT id FROM formatted');
ALTER FOREIGN TABLE formatted ALTER id OPTIONS (SET format 'date');
SELECT attempt('SELECT id FROM formatted');
ALTER FOREIGN TABLE formatted ALTER id TYPE text, ALTER id OPTIONS (SET format 'epoch');
SELECT attempt('SELECT id FROM formatted');
CALL api.clear();
CALL api.collection('items', 1, 2);


---- auth needs its secret; the user's own mapping comes before that of PUBLIC
CREATE FOREIGN TABLE items (id int) SERVER api OPTIONS (endpoint '/items', records_path '/data');
SELECT * FROM items;
SELECT * FROM api.log('authorization');
CREATE ROLE regress_reader;
GRANT SELECT ON items TO regress_reader;
ALTER SERVER api OPTIONS (ADD auth 'bearer');
SET ROLE regress_reader;
SELECT attempt('SELECT * FROM items');
RESET ROLE;
CREATE USER MAPPING FOR PUBLIC SERVER api OPTIONS (headers '{"X-Account": "a"}');
SET ROLE regress_reader;
SELECT attempt('SELECT * FROM items');
RESET ROLE;
ALTER USER MAPPING FOR PUBLIC SERVER api OPTIONS (ADD token 'everybody');
SET ROLE regress_reader;
SELECT * FROM items;
SELECT * FROM api.log('authorization');
RESET ROLE;
CREATE USER MAPPING FOR regress_reader SERVER api;
SET ROLE regress_reader;
SELECT attempt('SELECT * FROM items');
RESET ROLE;
ALTER USER MAPPING FOR regress_reader SERVER api OPTIONS (ADD token 'mine');
SET ROLE regress_reader;
SELECT * FROM items;
SELECT * FROM api.log('authorization');
RESET ROLE;

ALTER SERVER api OPTIONS (SET auth 'basic');
SELECT attempt('SELECT * FROM items');
ALTER SERVER api OPTIONS (SET auth 'api_key', ADD api_key_name 'X-Key');
SELECT attempt('SELECT * FROM items');
-- a secret that would not be sent
ALTER SERVER api OPTIONS (DROP auth, DROP api_key_name);
SELECT attempt('SELECT * FROM items');
-- the header of auth in an option headers, too
ALTER SERVER api OPTIONS (ADD auth 'api_key', ADD api_key_name 'X-Key');
ALTER USER MAPPING FOR PUBLIC SERVER api OPTIONS (DROP token, ADD api_key 'hidden');
SELECT * FROM items;
SELECT * FROM api.log('x-key');
ALTER FOREIGN TABLE items OPTIONS (ADD headers '{"x-key": "hidden"}');
SELECT attempt('SELECT * FROM items');
ALTER FOREIGN TABLE items OPTIONS (DROP headers);
ALTER USER MAPPING FOR PUBLIC SERVER api OPTIONS (SET headers '{"X-KEY": "hidden"}');
SELECT attempt('SELECT * FROM items');

DROP OWNED BY regress_reader;
DROP ROLE regress_reader;
