-- Every rule of the options that CREATE and ALTER check.
\pset format unaligned
\pset tuples_only on

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

CREATE FUNCTION server(options text) RETURNS text LANGUAGE sql AS $$
	SELECT attempt('CREATE SERVER s FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (' || options || ')') $$;
-- with the required option already there
CREATE FUNCTION server_with(options text) RETURNS text LANGUAGE sql AS $$
	SELECT server($x$base_url 'https://api.example.com', $x$ || options) $$;
CREATE FUNCTION mapping(options text) RETURNS text LANGUAGE sql AS $$
	SELECT attempt('CREATE USER MAPPING FOR CURRENT_USER SERVER example OPTIONS (' || options || ')') $$;
CREATE FUNCTION foreign_table(options text) RETURNS text LANGUAGE sql AS $$
	SELECT attempt('CREATE FOREIGN TABLE t (id bigint) SERVER example OPTIONS (' || options || ')') $$;
CREATE FUNCTION table_with(options text) RETURNS text LANGUAGE sql AS $$
	SELECT foreign_table($x$endpoint '/items', $x$ || options) $$;
CREATE FUNCTION foreign_column(options text) RETURNS text LANGUAGE sql AS $$
	SELECT attempt('CREATE FOREIGN TABLE t (at timestamptz OPTIONS (' || options || $x$)) SERVER example OPTIONS (endpoint '/items')$x$) $$;
CREATE SERVER example FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'https://api.example.com');


---- the list
SELECT * FROM checkpoint_fdw.options();


---- names
-- unknown, with and without a similar one
SELECT server($$bas_url 'https://api.example.com'$$);
SELECT server_with($$colour 'red'$$);
SELECT mapping($$tokn 'x'$$);
SELECT table_with($$recordspath '/data'$$);
SELECT foreign_column($$pth '/a'$$);
-- at the wrong place
SELECT server_with($$endpoint '/items'$$);
SELECT mapping($$auth 'bearer'$$);
SELECT table_with($$request_timeout '5'$$);
SELECT foreign_column($$headers '{}'$$);
SELECT attempt($$CREATE FOREIGN DATA WRAPPER w HANDLER checkpoint_fdw.handler VALIDATOR checkpoint_fdw.validator OPTIONS (base_url 'https://api.example.com')$$);
SELECT attempt($$CREATE FOREIGN DATA WRAPPER w HANDLER checkpoint_fdw.handler VALIDATOR checkpoint_fdw.validator$$);
-- secrets outside a user mapping
SELECT server_with($$token 'hidden'$$);
SELECT table_with($$password 'hidden'$$);
SELECT foreign_column($$api_key 'hidden'$$);
-- required, also when an option is dropped
SELECT attempt($$CREATE SERVER s FOREIGN DATA WRAPPER checkpoint_fdw$$);
SELECT foreign_table($$method 'GET'$$);
SELECT attempt($$ALTER SERVER example OPTIONS (DROP base_url)$$);
-- an empty value where it means nothing
SELECT mapping($$token ''$$);
SELECT table_with($$cursor_path ''$$);


---- values: URL
SELECT server($$base_url 'http://localhost:8080/v1/'$$);
SELECT server($$base_url 'api.example.com'$$);
SELECT server($$base_url 'ftp://api.example.com'$$);
SELECT server($$base_url 'https://user:hidden@api.example.com'$$);
SELECT server($$base_url 'https://api.example.com?key=hidden'$$);

-- words
SELECT server_with($$auth 'BEARER'$$);
SELECT server_with($$auth 'baerer'$$);
SELECT server_with($$auth 'kerberos'$$);
SELECT table_with($$method 'post'$$);
SELECT table_with($$method 'PUT'$$);

-- durations, sizes, integers, booleans
SELECT server_with($$connect_timeout '2', request_timeout '1500 ms', max_response_bytes '64kB'$$);
SELECT server_with($$connect_timeout 'soon'$$);
SELECT server_with($$connect_timeout '10 parsecs'$$);
SELECT server_with($$request_timeout '0'$$);
SELECT server_with($$request_timeout '2 d'$$);
SELECT server_with($$request_timeout 'inf'$$);
SELECT server_with($$request_timeout '-1 s'$$);
SELECT server_with($$max_response_bytes '1073741823'$$);
SELECT server_with($$max_response_bytes '1 GB'$$);
SELECT server_with($$max_response_bytes '1 furlong'$$);
SELECT table_with($$max_pages '9223372036854775807'$$);
SELECT table_with($$max_pages '0'$$);
SELECT table_with($$max_pages '9223372036854775808'$$);
SELECT table_with($$page_size '1.5', limit_param 'limit'$$);
SELECT table_with($$page_size '2147483648', limit_param 'limit'$$);
SELECT foreign_column($$key 'yes'$$);
SELECT foreign_column($$key 'maybe'$$);

-- paths
SELECT table_with($$records_path ''$$);
SELECT table_with($$records_path '/days/*/*'$$);
SELECT table_with($$records_path 'data.items'$$);
SELECT table_with($$records_path '$.data.items[*]'$$);
SELECT table_with($$records_path '/a~2b'$$);
SELECT table_with($$cursor_path '$.meta.next'$$);
SELECT table_with($$cursor_path '/meta/*/next'$$);
SELECT table_with($$cursor_path 'meta.next'$$);
-- the server's own message, which differs between versions
SELECT left(table_with($$cursor_path '$.meta..next'$$), 5);
SELECT table_with($$pagination 'link_header', has_more_path '!/done'$$);
SELECT table_with($$pagination 'link_header', has_more_path '!'$$);
SELECT table_with($$pagination 'link_header', has_more_path '!done'$$);
SELECT foreign_column($$path ''$$);
SELECT foreign_column($$path 'user.login'$$);

-- endpoint and params
SELECT foreign_table($$endpoint ''$$);
SELECT foreign_table($$endpoint 'items'$$);
SELECT foreign_table($$endpoint '?a=1'$$);
SELECT foreign_table($$endpoint 'https://api.example.com/items'$$);
SELECT foreign_table($$endpoint '/a b'$$);
SELECT foreign_table($$endpoint '/items#top'$$);
SELECT foreign_table($$endpoint '/a\b'$$);
SELECT foreign_table($$endpoint '/items/{item}'$$);
SELECT foreign_table($$endpoint '/items/{cursor'$$);
SELECT foreign_table($$endpoint '/items/}'$$);
SELECT foreign_table($$endpoint '/items/{+cursor}', cursor_path '/next'$$);
SELECT table_with($$params 'state=all&filter={"a": 1}'$$);
SELECT table_with($$params '?state=all'$$);
SELECT table_with($$params E'a=1\r\nb=2'$$);
SELECT table_with($$params 'state=all&api_key=hidden'$$);
SELECT foreign_table($$endpoint '/items?access_token=hidden'$$);
SELECT table_with($$params 'token=a&apikeys=b'$$);

-- names and values of headers; a value never shows up in an error
SELECT server_with($$headers '{"Accept": "application/json", "X-Version": "2"}'$$);
SELECT server_with($$headers 'Accept: hidden'$$);
SELECT server_with($$headers '["hidden"]'$$);
SELECT server_with($$headers '{"X-A": "hidden", "X-B": 1}'$$);
SELECT server_with($$headers '{"X A": "hidden"}'$$);
SELECT server_with($$headers '{"X-A": "hidden", "x-a": "hidden"}'$$);
SELECT server_with($$headers '{"X-A": "hidden\r\nX-B: hidden"}'$$);
SELECT server_with($$headers '{"Authorization": "Bearer hidden"}'$$);
SELECT table_with($$headers '{"x-api-key": "hidden"}'$$);
SELECT table_with($$headers '{"Content-Type": "text/plain"}'$$);
SELECT mapping($$headers '{"Authorization": "Bearer hidden", "X-Account": "hidden"}'$$);
SELECT mapping($$headers '{"Content-Length": "hidden"}'$$);
SELECT mapping($$headers '{"X-Account": hidden}'$$);
SELECT mapping($$token E'hid\nden'$$);
SELECT server_with($$user_agent E'a\nb'$$);
SELECT server_with($$user_agent E'a\x7fb'$$);
SELECT server_with($$prefetch '2'$$);
SELECT table_with($$cursor_header 'X Next', cursor_param 'c'$$);

-- formats and time zones
SELECT foreign_column($$format 'EPOCH_MS'$$);
SELECT foreign_column($$format 'DD.MM.YYYY HH24:MI', timezone 'Europe/Berlin'$$);
SELECT foreign_column($$format 'yyyy-mm-dd'$$);
SELECT foreign_column($$format 'iso8061'$$);
SELECT foreign_column($$format 'unix'$$);
SELECT foreign_column($$timezone 'Europe/Berlinn'$$);


---- server: api_key goes with its options
SELECT server_with($$auth 'api_key', api_key_name 'X-API-Key'$$);
SELECT server_with($$auth 'api_key', api_key_name 'api[key]', api_key_location 'query'$$);
SELECT server_with($$auth 'api_key', api_key_name 'api[key]'$$);
SELECT server_with($$auth 'api_key'$$);
SELECT server_with($$api_key_name 'X-API-Key'$$);
SELECT server_with($$auth 'bearer', api_key_location 'query'$$);


---- user mapping
SELECT mapping($$username 'me', password ''$$);
SELECT mapping($$password 'hidden'$$);
SELECT mapping($$username 'hid:den'$$);


---- pagination: inferred from its companion
SELECT table_with($$cursor_path '/next', cursor_param 'after'$$);
SELECT table_with($$cursor_path '/next'$$);
SELECT table_with($$cursor_header 'X-Next', cursor_param 'after'$$);
SELECT table_with($$next_url_path '/next'$$);
SELECT table_with($$keyset_column 'id', cursor_param 'after'$$);
SELECT table_with($$offset_param 'skip'$$);
SELECT table_with($$page_param 'page'$$);
-- two of them
SELECT table_with($$cursor_path '/next', offset_param 'skip'$$);
SELECT table_with($$page_param 'page', next_url_path '/next'$$);
-- one that does not fit
SELECT table_with($$pagination 'cursor', cursor_path '/next', page_param 'page'$$);
SELECT table_with($$pagination 'none', next_url_path '/next'$$);
SELECT table_with($$pagination 'link_header', cursor_path '/next'$$);
-- without the one it needs
SELECT table_with($$pagination 'cursor'$$);
SELECT table_with($$pagination 'header_cursor', cursor_param 'after'$$);
SELECT table_with($$pagination 'next_url'$$);
SELECT table_with($$pagination 'keyset', cursor_param 'after'$$);
SELECT table_with($$pagination 'offset'$$);
SELECT table_with($$pagination 'page_number'$$);
-- needs none
SELECT table_with($$pagination 'none'$$);
SELECT table_with($$pagination 'link_header'$$);
-- what carries the position: a parameter or a placeholder, only an object cursor needs neither
SELECT table_with($$cursor_header 'X-Next'$$);
SELECT table_with($$keyset_column 'id'$$);
SELECT table_with($$keyset_column 'id', params 'after={cursor}'$$);
SELECT table_with($$cursor_header 'X-Next', headers '{"X-After": "{cursor}"}'$$);
SELECT table_with($$pagination 'offset', params 'skip={offset}'$$);
SELECT table_with($$pagination 'page_number', method 'POST', body '{"page": "{page}"}'$$);
SELECT foreign_table($$endpoint '/items/{page}', pagination 'page_number'$$);
-- a placeholder of another kind of pagination
SELECT table_with($$params 'after={cursor}'$$);
SELECT table_with($$params 'skip={offset}', cursor_path '/next', cursor_param 'after'$$);
SELECT foreign_table($$endpoint '/items/{page}', pagination 'link_header'$$);
SELECT table_with($$cursor_path '/next', cursor_param 'after', method 'POST', body '{"query": "{page}"}'$$);
-- the options that only some kinds have
SELECT table_with($$has_more_path '/more'$$);
SELECT table_with($$cursor_param 'after'$$);
SELECT table_with($$offset_param 'skip', cursor_param 'after'$$);
SELECT table_with($$next_url_path '/next', page_start '1'$$);
SELECT table_with($$offset_param 'skip', cursor_end 'same'$$);
SELECT table_with($$cursor_path '/next', cursor_end '0, same', page_start '*'$$);
SELECT table_with($$page_param 'page', page_start '0'$$);
SELECT table_with($$page_param 'page', page_start 'one'$$);
SELECT table_with($$offset_param 'skip', page_start '-1'$$);
SELECT table_with($$offset_param 'skip', page_start '9223372036854775808'$$);
-- page size
SELECT table_with($$limit_param 'limit', page_size '100'$$);
SELECT table_with($$params 'limit={limit}', page_size '100'$$);
SELECT table_with($$limit_param 'limit'$$);
SELECT table_with($$page_size '100'$$);
SELECT table_with($$params 'limit={limit}'$$);
-- a parameter that would go out twice
SELECT table_with($$params 'a=1&limit=50', limit_param 'limit', page_size '100'$$);
SELECT table_with($$params 'page', page_param 'page'$$);
SELECT table_with($$params 'pages=1&subpage=2', page_param 'page'$$);


---- body
SELECT table_with($$method 'POST', body '{"first": "{limit}"}', page_size '10'$$);
SELECT table_with($$method 'POST', body 'a=1&b=2'$$);
SELECT table_with($$method 'POST', body '{ items { id } }', content_type 'application/graphql'$$);
SELECT table_with($$method 'POST', body '{ items { id } }'$$);
SELECT table_with($$method 'POST', body 'a=1', content_type 'application/json; charset=utf-8'$$);
SELECT table_with($$body '{}'$$);
SELECT table_with($$content_type 'application/json'$$);


---- NDJSON has nothing but records
SELECT table_with($$response_format 'ndjson', pagination 'link_header'$$);
SELECT table_with($$response_format 'ndjson', records_path '/data'$$);
SELECT table_with($$response_format 'ndjson', cursor_path '/next'$$);
SELECT table_with($$response_format 'ndjson', next_url_path '/next'$$);
SELECT table_with($$response_format 'ndjson', pagination 'link_header', has_more_path '/more'$$);


---- checkpoint against pagination and order
SELECT table_with($$checkpoint 'cursor'$$);
SELECT table_with($$checkpoint 'cursor', pagination 'link_header', record_order 'asc'$$);
SELECT table_with($$checkpoint 'cursor', keyset_column 'id', cursor_param 'after'$$);
SELECT table_with($$checkpoint 'offset', offset_param 'skip'$$);
SELECT table_with($$checkpoint 'offset', page_param 'page'$$);
SELECT table_with($$checkpoint 'cursor', offset_param 'skip'$$);
SELECT table_with($$checkpoint 'cursor', page_param 'page'$$);
SELECT table_with($$checkpoint 'offset'$$);
SELECT table_with($$checkpoint 'offset', cursor_path '/next'$$);
SELECT table_with($$checkpoint 'cursor', record_order 'desc'$$);
SELECT table_with($$checkpoint 'offset', offset_param 'skip', record_order 'desc'$$);
SELECT table_with($$record_order 'desc'$$);
SELECT table_with($$checkpoint 'timestamp'$$);


---- column
SELECT foreign_column($$source 'fetched_at'$$);
SELECT foreign_column($$source 'key', key 'true'$$);
SELECT foreign_column($$source 'value'$$);
SELECT foreign_column($$source 'record', path '/a'$$);
SELECT foreign_column($$source 'fetched_at', format 'epoch'$$);
SELECT foreign_column($$source 'page', key 'true'$$);


---- ALTER sees the options as they will be
CREATE FOREIGN TABLE items (id bigint, name text) SERVER example
  OPTIONS (endpoint '/items', cursor_path '/next', cursor_param 'after', checkpoint 'cursor');
SELECT attempt($$ALTER FOREIGN TABLE items OPTIONS (ADD offset_param 'skip')$$);
SELECT attempt($$ALTER FOREIGN TABLE items OPTIONS (DROP cursor_path)$$);
SELECT attempt($$ALTER FOREIGN TABLE items OPTIONS (DROP cursor_path, DROP cursor_param, ADD offset_param 'skip')$$);
SELECT attempt($$ALTER FOREIGN TABLE items OPTIONS (DROP cursor_path, DROP cursor_param, ADD offset_param 'skip', SET checkpoint 'offset')$$);
SELECT attempt($$ALTER FOREIGN TABLE items ALTER name OPTIONS (ADD kee 'true')$$);
SELECT attempt($$ALTER FOREIGN TABLE items ALTER name OPTIONS (ADD path '/title')$$);
SELECT attempt($$ALTER SERVER example OPTIONS (ADD auth 'api_key')$$);
