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
SELECT foreign_table($$endpoint '/items/{item}/{+sub-item}'$$);
SELECT foreign_table($$endpoint '/items/{it%20em}'$$);
SELECT foreign_table($$endpoint '/items/{}'$$);
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
CREATE FUNCTION timestamp_with(options text) RETURNS text LANGUAGE sql AS $$
	SELECT table_with($x$timestamp_column 'at', timestamp_param 'since', $x$ || options) $$;
SELECT timestamp_with($$timestamp_format 'Epoch'$$);
SELECT timestamp_with($$timestamp_format 'DD.MM.YYYY'$$);
SELECT timestamp_with($$timestamp_format 'epoc'$$);

-- spans of time, or numbers where the column has some
SELECT timestamp_with($$lookback '2 hours', timestamp_granularity '1 ms'$$);
SELECT timestamp_with($$lookback '0', timestamp_granularity '1'$$);
SELECT timestamp_with($$lookback '90 d'$$);
SELECT timestamp_with($$lookback '9223372036854775807'$$);
SELECT timestamp_with($$lookback '1 month'$$);
SELECT timestamp_with($$lookback '-1 day'$$);
SELECT timestamp_with($$lookback '-1'$$);
SELECT timestamp_with($$lookback 'long'$$);
SELECT timestamp_with($$timestamp_granularity '0 s'$$);
SELECT timestamp_with($$timestamp_granularity '0'$$);
SELECT timestamp_with($$timestamp_granularity '-1 s 2 s'$$);

-- statuses
SELECT table_with($$expired_statuses '404, 410'$$);
SELECT table_with($$expired_statuses '404,'$$);
SELECT table_with($$expired_statuses '404 410'$$);
SELECT table_with($$expired_statuses '99'$$);
SELECT table_with($$expired_statuses 'gone'$$);


---- server: api_key goes with its options
SELECT server_with($$auth 'api_key', api_key_name 'X-API-Key'$$);
SELECT server_with($$auth 'api_key', api_key_name 'api[key]', api_key_location 'query'$$);
SELECT server_with($$auth 'api_key', api_key_name 'api[key]'$$);
SELECT server_with($$auth 'api_key'$$);
SELECT server_with($$api_key_name 'X-API-Key'$$);
SELECT server_with($$auth 'bearer', api_key_location 'query'$$);
SELECT server_with($$next_url_origin 'same'$$);
SELECT server_with($$next_url_origin 'rewrite'$$);
SELECT server_with($$next_url_origin 'https://api.example.com, https://files.example.com:8443'$$);
SELECT server_with($$next_url_origin 'files.example.com'$$);
SELECT server_with($$next_url_origin 'https://files.example.com/v1'$$);
SELECT server_with($$next_url_origin 'same, https://files.example.com'$$);
SELECT server_with($$next_url_origin 'http://files.example.com'$$);

---- files and proxies: superusers only, also to change something else of the object
SELECT server_with($$proxy 'http://proxy.example.com:3128', ca_file '/etc/ssl/ca.pem'$$);
SELECT server_with($$proxy 'http://user:hidden@proxy.example.com'$$);
SELECT server_with($$proxy 'proxy.example.com:3128'$$);
SELECT server_with($$ca_file 'ca.pem'$$);
SELECT server_with($$client_cert '/etc/ssl/client.pem'$$);
SELECT mapping($$client_key '/etc/ssl/client.key'$$);
SELECT mapping($$client_cert 'client.pem'$$);
SELECT mapping($$client_cert '/etc/ssl/client.pem', client_key '/etc/ssl/client.key'$$);
CREATE ROLE regress_owner;
GRANT USAGE ON FOREIGN DATA WRAPPER checkpoint_fdw TO regress_owner;
GRANT USAGE ON FOREIGN SERVER example TO regress_owner;
CREATE SERVER with_file FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'https://api.example.com', ca_file '/etc/ssl/ca.pem');
ALTER SERVER with_file OWNER TO regress_owner;
SET ROLE regress_owner;
SELECT attempt($$CREATE SERVER other FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'https://api.example.com', ca_file '/etc/passwd')$$);
SELECT attempt($$CREATE SERVER other FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'https://api.example.com', proxy 'http://127.0.0.1:1')$$);
SELECT attempt($$CREATE USER MAPPING FOR CURRENT_USER SERVER example OPTIONS (client_cert '/etc/passwd')$$);
SELECT attempt($$ALTER SERVER with_file OPTIONS (ADD user_agent 'x')$$);
SELECT attempt($$ALTER SERVER with_file OPTIONS (DROP ca_file)$$);
SELECT attempt($$ALTER SERVER with_file OPTIONS (ADD user_agent 'x')$$);
RESET ROLE;
DROP SERVER with_file;
DROP OWNED BY regress_owner;
DROP ROLE regress_owner;



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
SELECT table_with($$method 'POST', body E'{"a": 1}\n{"a": 2}\n', content_type 'application/x-ndjson'$$);
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


---- checkpoint inferred, and what each kind has to have
SELECT table_with($$timestamp_param 'since'$$);
SELECT table_with($$timestamp_param 'since', timestamp_column 'at'$$);
SELECT table_with($$checkpoint 'timestamp'$$);
SELECT table_with($$checkpoint 'timestamp', timestamp_column 'at'$$);
SELECT timestamp_with($$record_order 'asc'$$);
SELECT timestamp_with($$record_order 'asc', page_size '100'$$);
SELECT timestamp_with($$record_order 'asc', page_size '100', limit_param 'limit'$$);
SELECT timestamp_with($$record_order 'asc', pagination 'link_header'$$);
SELECT table_with($$checkpoint 'timestamp', timestamp_column 'at', params 'since={since}', record_order 'asc'$$);
SELECT table_with($$checkpoint 'timestamp', timestamp_column 'at', record_order 'asc'$$);
SELECT table_with($$checkpoint 'timestamp', timestamp_column 'at', record_order 'desc'$$);
SELECT table_with($$sync_token_path '/next_token'$$);
SELECT table_with($$checkpoint 'sync_token'$$);
SELECT table_with($$checkpoint 'sync_token', sync_token_param 'token'$$);
SELECT table_with($$sync_token_path '/next_token', params 'token={sync_token}', record_order 'desc'$$);
SELECT table_with($$timestamp_param 'since', timestamp_column 'at', sync_token_path '/next_token'$$);
SELECT table_with($$checkpoint 'keys'$$);

-- options and placeholders of another kind
SELECT table_with($$timestamp_column 'at'$$);
SELECT table_with($$checkpoint 'none', timestamp_param 'since'$$);
SELECT table_with($$checkpoint 'cursor', cursor_path '/next', cursor_param 'after', lookback '1 h'$$);
SELECT table_with($$checkpoint 'keys', timestamp_initial '2024-01-01'$$);
SELECT table_with($$checkpoint 'keys', timestamp_boundary 'inclusive'$$);
SELECT table_with($$checkpoint 'keys', sync_token_path '/next_token'$$);
SELECT timestamp_with($$sync_token_param 'token', checkpoint 'timestamp'$$);
SELECT table_with($$params 'since={since}'$$);
SELECT table_with($$params 'token={sync_token}', checkpoint 'keys'$$);
SELECT timestamp_with($$params 'token={sync_token}'$$);
SELECT table_with($$method 'POST', body '{"query": "{since}"}'$$);

-- windows
SELECT timestamp_with($$window '1 day', until_param 'until', timestamp_initial '2024-01-01'$$);
SELECT timestamp_with($$window '1 day', params 'until={until}', timestamp_initial '2024-01-01'$$);
SELECT timestamp_with($$window '1 day', timestamp_initial '2024-01-01'$$);
SELECT timestamp_with($$window '1 day', until_param 'until'$$);
SELECT timestamp_with($$until_param 'until'$$);
SELECT timestamp_with($$params 'until={until}'$$);
SELECT table_with($$checkpoint 'timestamp', timestamp_column 'at', window '1 day', until_param 'until', timestamp_initial '2024-01-01'$$);
SELECT timestamp_with($$window '0', until_param 'until', timestamp_initial '2024-01-01'$$);

-- parameters that would go out twice
SELECT timestamp_with($$params 'sort=at&since=2024-01-01'$$);
SELECT foreign_table($$endpoint '/items?a=1&since=2024-01-01', timestamp_column 'at', timestamp_param 'since'$$);
SELECT foreign_table($$endpoint '/items?a=1&page=1', page_param 'page'$$);
SELECT timestamp_with($$window '1 day', until_param 'until', timestamp_initial '2024-01-01', params 'until='$$);
SELECT timestamp_with($$cursor_path '/next', cursor_param 'since'$$);
SELECT timestamp_with($$window '1 day', until_param 'since', timestamp_initial '2024-01-01'$$);
SELECT table_with($$sync_token_path '/token', sync_token_param 'token', params 'token'$$);
SELECT table_with($$cursor_path '/next', cursor_param 'token', sync_token_path '/token', sync_token_param 'token'$$);
SELECT table_with($$page_param 'page', limit_param 'page', page_size '10'$$);

-- batches, pages that expire, cursors that are iterators
SELECT table_with($$checkpoint 'keys', batch_pages '10', batch_seconds '30'$$);
SELECT table_with($$batch_pages '10'$$);
SELECT table_with($$batch_seconds '30'$$);
SELECT table_with($$checkpoint 'keys', batch_pages '0'$$);
SELECT table_with($$checkpoint 'keys', batch_seconds '2 d'$$);
SELECT table_with($$checkpoint 'keys', on_expired 'restart', expired_match 'invalid cursor'$$);
SELECT timestamp_with($$on_expired 'restart'$$);
SELECT table_with($$checkpoint 'cursor', on_expired 'restart'$$);
SELECT table_with($$checkpoint 'offset', offset_param 'skip', on_expired 'restart'$$);
SELECT table_with($$checkpoint 'keys', cursor_path '/scroll', cursor_param 'scroll', stateful_cursor 'true'$$);
SELECT table_with($$cursor_path '/scroll', cursor_param 'scroll', stateful_cursor 'true'$$);
SELECT table_with($$checkpoint 'keys', stateful_cursor 'true'$$);
SELECT table_with($$checkpoint 'keys', page_param 'page', stateful_cursor 'true'$$);
SELECT table_with($$checkpoint 'cursor', cursor_path '/scroll', cursor_param 'scroll', stateful_cursor 'true'$$);
SELECT table_with($$checkpoint 'keys', cursor_path '/scroll', cursor_param 'scroll', stateful_cursor 'true', batch_pages '10'$$);
SELECT table_with($$checkpoint 'keys', cursor_path '/scroll', cursor_param 'scroll', stateful_cursor 'true', batch_seconds '10'$$);
SELECT table_with($$on_record_error 'reject'$$);
SELECT table_with($$on_record_error 'reject', checkpoint 'cursor', cursor_path '/next', cursor_param 'c'$$);
SELECT table_with($$on_record_error 'ignore'$$);


---- column
SELECT foreign_column($$source 'fetched_at'$$);
SELECT foreign_column($$source 'key', key 'true'$$);
SELECT foreign_column($$source 'value'$$);
SELECT foreign_column($$source 'record', path '/a'$$);
SELECT foreign_column($$source 'fetched_at', format 'epoch'$$);
SELECT foreign_column($$source 'page', key 'true'$$);
SELECT foreign_column($$source 'batch', key 'true'$$);
-- a value that the statement gives
SELECT foreign_column($$param 'repo'$$);
SELECT foreign_column($$param 'org.name-1'$$);
SELECT foreign_column($$param '{repo}'$$);
SELECT foreign_column($$param ''$$);
SELECT foreign_column($$param 'cursor'$$);
SELECT foreign_column($$param 'sync_token'$$);
SELECT foreign_column($$param 'repo', key 'true'$$);
SELECT foreign_column($$param 'repo', path '/a'$$);
SELECT foreign_column($$param 'repo', source 'page'$$);
SELECT foreign_column($$param 'day', format 'epoch'$$);


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
SELECT attempt($$ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'timestamp')$$);
SELECT attempt($$ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'timestamp', ADD timestamp_column 'at')$$);
