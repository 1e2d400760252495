-- Every kind of pagination: which requests go out, which records come, and where it ends.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never

CREATE TABLE target (id int, name text);

-- All that is done with each kind: read twice without a checkpoint; with one, load, load nothing new, load what was appended.
\set all_loads 'SELECT api.load(:\'t\'); SELECT api.load(:\'t\'); CALL api.append(\'items\', 26, 40); SELECT api.load(:\'t\'); SELECT api.load(:\'t\');'
\set all_with_cursor 'CALL api.collection(\'items\', 1, 25); SELECT api.read(:\'t\'); SELECT api.read(:\'t\'); ALTER FOREIGN TABLE :t OPTIONS (ADD checkpoint \'cursor\'); :all_loads'
\set all_with_offset 'CALL api.collection(\'items\', 1, 25); SELECT api.read(:\'t\'); SELECT api.read(:\'t\'); ALTER FOREIGN TABLE :t OPTIONS (ADD checkpoint \'offset\'); :all_loads'


---- none: one request
CREATE FOREIGN TABLE one_page (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=100', records_path '/data');
\set t one_page
:all_with_cursor

---- cursor: a token in the body
CREATE FOREIGN TABLE token (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor');
\set t token
:all_with_cursor
-- at an SQL/JSON path
CREATE FOREIGN TABLE token_path (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '$.next_cursor ? (@ != null)', cursor_param 'cursor');
\set t token_path
:all_with_cursor
-- in a body
CREATE FOREIGN TABLE posted (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/post', method 'POST', body '{"cursor": "{cursor}", "limit": "{limit}"}', page_size '10', records_path '/data',
           cursor_path '/next_cursor');
\set t posted
:all_with_cursor

---- header_cursor
CREATE FOREIGN TABLE header_token (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/header', params 'limit=10', cursor_header 'x-next-cursor', cursor_param 'cursor');
\set t header_token
:all_with_cursor

---- next_url
CREATE FOREIGN TABLE url (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/next_url', params 'limit=10', records_path '/data', next_url_path '/links/next');
\set t url
:all_with_cursor
CREATE FOREIGN TABLE url_path (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/next_url', params 'limit=10', records_path '/data', next_url_path '$.links.next');
SELECT api.read('url_path');

---- link_header
CREATE FOREIGN TABLE link (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/link', params 'per_page=10', pagination 'link_header');
\set t link
:all_with_cursor

---- keyset: to the empty page, or to has_more
CREATE FOREIGN TABLE keyset (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/keyset', params 'limit=10', records_path '/data', keyset_column 'id', cursor_param 'starting_after');
\set t keyset
:all_with_cursor
CREATE FOREIGN TABLE keyset_flag (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/keyset', params 'limit=10', records_path '/data', keyset_column 'id', cursor_param 'starting_after', has_more_path '/has_more');
\set t keyset_flag
:all_with_cursor

---- offset: with a checkpoint, each request begins one record early
CREATE FOREIGN TABLE counted (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/offset', records_path '/data', offset_param 'offset', limit_param 'limit', page_size '10');
\set t counted
:all_with_offset

---- page_number: with a checkpoint, the first full page is asked twice
CREATE FOREIGN TABLE numbered (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items/page', records_path '/data', page_param 'page', limit_param 'per_page', page_size '10');
\set t numbered
:all_with_offset


---- page_start, placeholders
CALL api.collection('items', 1, 25);
CREATE FOREIGN TABLE start_offset (id int) SERVER api
  OPTIONS (endpoint '/items/offset', params 'limit=10', records_path '/data', offset_param 'offset', page_start '4');
SELECT api.read('start_offset');
CREATE FOREIGN TABLE start_page (id int) SERVER api
  OPTIONS (endpoint '/items/page', params 'per_page=10', records_path '/data', page_param 'page', page_start '2');
SELECT api.read('start_page');
CREATE FOREIGN TABLE start_key (id int) SERVER api
  OPTIONS (endpoint '/items/keyset', params 'limit=10', records_path '/data', keyset_column 'id', cursor_param 'starting_after', page_start '7');
SELECT api.read('start_key');

CALL api.script('/first', '[{"json": {"data": [{"id": 1}], "next": "a b&c"}}, {"json": {"data": [{"id": 2}], "next": "ä/+"}}, {"json": {"data": [{"id": 3}]}}]');
CREATE FOREIGN TABLE start_cursor (id int) SERVER api
  OPTIONS (endpoint '/first', params 'q=x y', records_path '/data', cursor_path '/next', cursor_param 'after', page_start '*');
SELECT api.read('start_cursor');

CALL api.script('/list/0/5', '[{"json": [{"id": 1}, {"id": 2}]}]');
CALL api.script('/list/2/5', '[{"json": [{"id": 3}]}]');
CALL api.script('/list/3/5', '[{"json": []}]');
CREATE FOREIGN TABLE in_path (id int) SERVER api OPTIONS (endpoint '/list/{offset}/{limit}', pagination 'offset', page_size '5');
SELECT api.read('in_path');

-- a pair or a header without a value is left out
CALL api.script('/in_headers', '[{"json": {"data": [{"id": 1}], "next": 7}}, {"json": {"data": [{"id": 2}]}}]');
CREATE FOREIGN TABLE in_headers (id int) SERVER api
  OPTIONS (endpoint '/in_headers', params 'a=1&after={cursor}&n={limit}', headers '{"X-After": "{cursor}", "X-Size": "{limit} rows"}', page_size '5',
           records_path '/data', cursor_path '/next');
SELECT api.read('in_headers', 'x-after', 'x-size');

-- bodies: raw JSON values, a form, text
CALL api.script('/json_body', '[{"json": {"data": [{"id": 1}], "next": [7, "b"]}}, {"json": {"data": [{"id": 2}], "next": "c\"d"}}, {"json": {"data": [{"id": 3}]}}]');
CREATE FOREIGN TABLE json_body (id int) SERVER api
  OPTIONS (endpoint '/json_body', method 'POST', body '{"page": {"after": "{cursor}", "size": "{limit}"}, "label": "of {limit}", "all": ["{cursor}"]}', page_size '5',
           records_path '/data', cursor_path '/next');
SELECT api.read('json_body', 'content-type');
CALL api.script('/form_body', '[{"json": {"data": [{"id": 1}], "next": "a b"}}, {"json": {"data": [{"id": 2}]}}]');
CREATE FOREIGN TABLE form_body (id int) SERVER api
  OPTIONS (endpoint '/form_body', method 'POST', body 'q=x y&after={cursor}&n={limit}', page_size '5', records_path '/data', cursor_path '/next');
SELECT api.read('form_body', 'content-type');
CALL api.script('/text_body', '[{"json": {"data": [{"id": 1}]}}, {"json": {"data": []}}]');
CREATE FOREIGN TABLE text_body (id int) SERVER api
  OPTIONS (endpoint '/text_body', method 'POST', content_type 'text/plain', body 'skip {offset}', pagination 'offset', records_path '/data');
SELECT api.read('text_body', 'content-type');


---- what a cursor can be
-- 0 is one; "", null, false, [] and nothing at all are the end; pages may be short or empty
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": 0}}, {"json": {"data": [], "next": "b"}}, {"json": {"data": [{"id": 2}], "next": ""}}]');
CREATE FOREIGN TABLE zero (id int) SERVER api OPTIONS (endpoint '/zero', records_path '/data', cursor_path '/next', cursor_param 'after');
SELECT api.read('zero');
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": null}}]');
SELECT api.read('zero');
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": false}}]');
SELECT api.read('zero');
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": []}}]');
SELECT api.read('zero');
-- a number goes back with its own digits, if it has no more than 64 bits
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": "x"}}, {"body": "{\"data\": [{\"id\": 2}], \"next\": 18446744073709551615}"},
                           {"body": "{\"data\": [{\"id\": 3}], \"next\": 1.50}"}, {"json": {"data": []}}]');
SELECT api.read('zero');
-- a flag is no cursor
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": true}}]');
SELECT api.fails('SELECT * FROM zero');
-- 204 is an empty page
CALL api.script('/zero', '[{"json": {"data": [{"id": 1}], "next": "b"}}, {"status": 204}]');
SELECT api.read('zero');
-- inside a record
CALL api.script('/inside', '[{"json": [{"id": 1, "next": "a"}, {"id": 2, "next": "b"}]}, {"json": [{"id": 3}]}]');
CREATE FOREIGN TABLE inside (id int) SERVER api OPTIONS (endpoint '/inside', cursor_path '$[last].next', cursor_param 'after');
SELECT api.read('inside');

-- an object is merged into the query, over params; into a form; into a JSON body; or has a place of its own
CALL api.script('/object', '[{"json": {"data": [{"id": 1}], "continue": {"from": "a b", "n": 2, "gone": null}}}, {"json": {"data": [{"id": 2}]}}]');
CREATE FOREIGN TABLE object (id int) SERVER api OPTIONS (endpoint '/object', params 'n=1&from=0&gone=3&kept=4', records_path '/data', cursor_path '/continue');
SELECT api.read('object');
CALL api.script('/object', '[{"json": {"data": [{"id": 1}], "continue": {"from": "a b", "n": {"x": 2}}}}, {"json": {"data": [{"id": 2}]}}]');
CREATE FOREIGN TABLE object_in_body (id int) SERVER api
  OPTIONS (endpoint '/object', method 'POST', body '{"from": 0, "n": {"y": 1}, "kept": 4}', records_path '/data', cursor_path '/continue');
SELECT api.read('object_in_body');
CALL api.script('/object', '[{"json": {"data": [{"id": 1}], "continue": {"from": "a b", "n": 2}}}, {"json": {"data": [{"id": 2}]}}]');
CREATE FOREIGN TABLE object_in_form (id int) SERVER api
  OPTIONS (endpoint '/object', method 'POST', body 'from=0&kept=4', records_path '/data', cursor_path '/continue');
SELECT api.read('object_in_form');
CALL api.script('/object', '[{"json": {"data": [{"id": 1}], "continue": {"from": "a b", "n": 2}}}, {"json": {"data": [{"id": 2}]}}]');
CREATE FOREIGN TABLE object_placed (id int) SERVER api
  OPTIONS (endpoint '/object', method 'POST', body '{"after": "{cursor}"}', records_path '/data', cursor_path '/continue');
SELECT api.read('object_placed');
-- a cursor that has no place
CALL api.script('/object', '[{"json": {"data": [{"id": 1}], "continue": "a"}}]');
SELECT api.fails('SELECT * FROM object');


---- cursor_end
CREATE FOREIGN TABLE ends (id int) SERVER api
  OPTIONS (endpoint '/ends', records_path '/data', cursor_path '/next', cursor_param 'after', cursor_end '-1, END');
CALL api.script('/ends', '[{"json": {"data": [{"id": 1}], "next": "same"}}, {"json": {"data": [{"id": 2}], "next": -1}}]');
SELECT api.read('ends');
CALL api.script('/ends', '[{"json": {"data": [{"id": 1}], "next": "end"}}, {"json": {"data": [{"id": 2}], "next": "END"}}]');
SELECT api.read('ends');
ALTER FOREIGN TABLE ends OPTIONS (SET cursor_end 'same');
CALL api.script('/ends', '[{"json": {"data": [{"id": 1}], "next": "a"}}, {"json": {"data": [{"id": 2}], "next": "b"}}, {"json": {"data": [{"id": 3}], "next": "b"}}]');
SELECT api.read('ends');
ALTER FOREIGN TABLE ends OPTIONS (SET cursor_end 'empty');
CALL api.script('/ends', '[{"json": {"data": [{"id": 1}], "next": "a"}}, {"json": {"data": [], "next": "b"}}]');
SELECT api.read('ends');


---- has_more_path
CREATE FOREIGN TABLE flagged (id int) SERVER api
  OPTIONS (endpoint '/flagged', records_path '/data', cursor_path '/next', cursor_param 'after', has_more_path '/more');
-- false wins over a token
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}], "next": "a", "more": true}}, {"json": {"data": [{"id": 2}], "next": "b", "more": false}}]');
SELECT api.read('flagged');
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}], "next": "a", "more": "yes"}}, {"json": {"data": [{"id": 2}], "next": "b", "more": 0}}]');
SELECT api.read('flagged');
-- true without one, or no flag at all, is not the end
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}], "next": null, "more": true}}]');
SELECT api.fails('SELECT * FROM flagged');
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}], "next": "a"}}]');
SELECT api.fails('SELECT * FROM flagged');
ALTER FOREIGN TABLE flagged OPTIONS (SET has_more_path '!/last');
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}], "next": "a"}}, {"json": {"data": [{"id": 2}], "next": "b", "last": false}},
                              {"json": {"data": [{"id": 3}], "next": "c", "last": true}}]');
SELECT api.read('flagged');
-- with a position that is computed
CREATE FOREIGN TABLE flagged_offset (id int) SERVER api
  OPTIONS (endpoint '/flagged', records_path '/data', offset_param 'offset', has_more_path '$.more');
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}, {"id": 2}], "more": true}}, {"json": {"data": [{"id": 3}], "more": false}}]');
SELECT api.read('flagged_offset');
CALL api.script('/flagged', '[{"json": {"data": [{"id": 1}, {"id": 2}], "more": true}}, {"json": {"data": [], "more": true}}]');
SELECT api.fails('SELECT * FROM flagged_offset');


---- max_pages
ALTER FOREIGN TABLE token OPTIONS (SET checkpoint 'none', ADD max_pages '3');
CALL api.collection('items', 1, 30);
SELECT api.read('token');
CALL api.append('items', 31, 31);
SELECT api.fails('SELECT * FROM token');
-- the empty page at the end does not count
CREATE FOREIGN TABLE capped (id int) SERVER api
  OPTIONS (endpoint '/items/page', params 'per_page=10', records_path '/data', page_param 'page', max_pages '3');
CALL api.collection('items', 1, 30);
SELECT api.read('capped');
-- over the whole walk, whatever statements it is spread over
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE FOREIGN TABLE capped_walk (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/items', params 'limit=5', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor', max_pages '3');
CALL api.collection('items', 1, 16);
SELECT api.load('capped_walk', 'LIMIT 7');
SELECT api.fails('SELECT * FROM capped_walk');
SELECT api.load('capped_walk', 'LIMIT 8');
SELECT api.fails('SELECT * FROM capped_walk');
ALTER FOREIGN TABLE capped_walk OPTIONS (SET max_pages '4');
SELECT api.load('capped_walk');
-- the next walk counts for itself
CALL api.append('items', 17, 31);
SELECT api.load('capped_walk');
ALTER SERVER api OPTIONS (DROP prefetch);


---- ndjson
CALL api.script('/lines', '[{"body": "{\"id\": 1}\n{\"id\": 2}\n", "headers": {"Link": "</lines?2>; rel=next"}}, {"body": "{\"id\": 3}\r\n\n{\"id\": 4}"}]');
CREATE FOREIGN TABLE lines (id int) SERVER api OPTIONS (endpoint '/lines', response_format 'ndjson', pagination 'link_header');
SELECT api.read('lines', 'accept');
CALL api.script('/lines', '[{"body": "{\"id\": 1}\n{\"id\": 2}\n"}, {"body": "{\"id\": 3}\n"}, {"body": ""}]');
CREATE FOREIGN TABLE counted_lines (id int) SERVER api OPTIONS (endpoint '/lines', response_format 'ndjson', offset_param 'skip');
SELECT api.read('counted_lines');


---- links
CREATE FOREIGN TABLE linked (id int) SERVER api OPTIONS (endpoint '/sub/linked', params 'a=1', records_path '/data', next_url_path '/next');
-- resolved against the URL asked, and asked byte for byte; an object with href is one too
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": "?p=%7e&q=a+b"}}, {"json": {"data": [{"id": 2}], "next": {"href": "/other"}}}]');
CALL api.script('/other', '[{"json": {"data": [{"id": 3}], "next": "sub/./linked;x"}}]');
CALL api.script('/sub/linked;x', '[{"json": {"data": [{"id": 4}], "next": {"href": null}}}]');
SELECT api.read('linked');
-- with the headers and the body of the first request
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": "?p=2"}}, {"json": {"data": [{"id": 2}], "next": null}}]');
ALTER FOREIGN TABLE linked OPTIONS (ADD method 'POST', ADD body '{"q": 1}', ADD headers '{"X-Me": "too"}');
SELECT api.read('linked', 'x-me');
ALTER FOREIGN TABLE linked OPTIONS (DROP method, DROP body);
-- to itself
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": "/sub/linked?a=1"}}]', repeat => true);
SELECT * FROM api.fails('SELECT * FROM linked') LIMIT 1;
ALTER FOREIGN TABLE linked OPTIONS (ADD cursor_end 'same');
SELECT api.read('linked');
-- to another host, port or scheme
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": "http://example.com/sub/linked?p=2"}}]', repeat => true);
SELECT api.fails('SELECT * FROM linked');
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": "//127.0.0.1:1/sub/linked?p=2"}}]', repeat => true);
SELECT api.fails('SELECT * FROM linked');
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": "file:///etc/passwd"}}]', repeat => true);
SELECT api.fails('SELECT * FROM linked');
-- no URL
CALL api.script('/sub/linked', '[{"json": {"data": [{"id": 1}], "next": 7}}]', repeat => true);
SELECT api.fails('SELECT * FROM linked');
-- Link headers: several, of which one counts; results="false" is none
CALL api.script('/header', '[{"json": [{"id": 1}], "headers": {"Link": ["</header?1>; rel=\"prev\"", "</header?2>; title=\"a, b; c\"; rel=\"last next\""]}},
                             {"json": [{"id": 2}], "headers": {"link": "</header?3>; rel=\"next\"; results=\"false\""}}]');
CREATE FOREIGN TABLE linked_by_header (id int) SERVER api OPTIONS (endpoint '/header', pagination 'link_header');
SELECT api.read('linked_by_header');

-- an API key in the query goes with every request, and into no position
ALTER SERVER api OPTIONS (ADD auth 'api_key', ADD api_key_name 'key', ADD api_key_location 'query');
CREATE USER MAPPING FOR CURRENT_USER SERVER api OPTIONS (api_key 'hidden');
CALL api.collection('items', 1, 25);
SELECT checkpoint_fdw.reset('url');
ALTER SERVER api OPTIONS (ADD prefetch '0');
SELECT api.load('url', 'LIMIT 20');
SELECT position - 'loop' FROM checkpoint_fdw.status WHERE foreign_table = 'url'::regclass;
SELECT api.load('url');
CALL api.script('/items/next_url', '[{"status": 400}]');
SELECT api.fails('SELECT * FROM url');
DROP USER MAPPING FOR CURRENT_USER SERVER api;
ALTER SERVER api OPTIONS (DROP prefetch, DROP auth, DROP api_key_name, DROP api_key_location);


---- does the API make progress?
-- a cursor that stays the same is fine, as long as other records come
CALL api.script('/constant', '[{"json": {"data": [{"id": 1}], "next": "c"}}, {"json": {"data": [{"id": 2}], "next": "c"}},
                               {"json": {"data": [{"id": 3}], "next": "c"}}, {"json": {"data": [], "next": "c"}}]');
CREATE FOREIGN TABLE constant (id int) SERVER api
  OPTIONS (endpoint '/constant', records_path '/data', cursor_path '/next', cursor_param 'after', cursor_end 'empty');
SELECT api.read('constant');
-- the same page again
CALL api.script('/constant', '[{"json": {"data": [{"id": 1}], "next": "c"}}]', repeat => true);
SELECT api.fails('SELECT * FROM constant');
-- a cycle
CALL api.script('/constant', '[{"json": {"data": [{"id": 1}], "next": "c"}}]');
CALL api.script('/constant?after=c', '[{"json": {"data": [{"id": 2}], "next": "d"}}]', repeat => true);
CALL api.script('/constant?after=d', '[{"json": {"data": [{"id": 3}], "next": "e"}}]', repeat => true);
CALL api.script('/constant?after=e', '[{"json": {"data": [{"id": 4}], "next": "c"}}]', repeat => true);
SELECT api.fails('SELECT * FROM constant');
-- the same with a checkpoint, for which a page read again is otherwise no news
CREATE FOREIGN TABLE constant_load (id int OPTIONS (key 'true'), name text) SERVER api
  OPTIONS (endpoint '/constant_load', records_path '/data', cursor_path '/next', cursor_param 'after', cursor_end 'empty', checkpoint 'cursor');
CALL api.script('/constant_load', '[{"json": {"data": [{"id": 1, "name": "a"}], "next": "c"}}, {"json": {"data": [{"id": 2}], "next": "c"}},
                                    {"json": {"data": [{"id": 3}], "next": "c"}}, {"json": {"data": [], "next": "c"}}]');
SELECT api.load('constant_load');
CALL api.script('/constant_load', '[{"json": {"data": [{"id": 4, "name": "a"}], "next": "c"}}]', repeat => true);
SELECT api.fails('INSERT INTO target SELECT * FROM constant_load');
CALL api.script('/constant_load', '[{"json": {"data": [{"id": 5, "name": "a"}], "next": "c"}}, {"json": {"data": [{"id": 6}], "next": "c"}},
                                    {"json": {"data": [{"id": 7}], "next": "c"}}, {"json": {"data": [{"id": 8}], "next": "c"}}]');
ALTER FOREIGN TABLE constant_load OPTIONS (ADD max_pages '3');
SELECT api.fails('INSERT INTO target SELECT * FROM constant_load');
-- an API that does not know the parameter
CALL api.script('/ignorant', '[{"json": [{"id": 1}, {"id": 2}]}]', repeat => true);
CREATE FOREIGN TABLE ignored_offset (id int) SERVER api OPTIONS (endpoint '/ignorant', offset_param 'offset');
SELECT api.fails('SELECT * FROM ignored_offset');
CREATE FOREIGN TABLE ignored_page (id int) SERVER api OPTIONS (endpoint '/ignorant', page_param 'page');
SELECT api.fails('SELECT * FROM ignored_page');
CREATE FOREIGN TABLE ignored_key (id int) SERVER api OPTIONS (endpoint '/ignorant', keyset_column 'id', cursor_param 'after');
SELECT api.fails('SELECT * FROM ignored_key');
-- a key that is text, in a member of its own, or larger than any integer
CREATE FOREIGN TABLE text_key (id int, k text OPTIONS (path '/meta/k~1')) SERVER api OPTIONS (endpoint '/text_key', keyset_column 'k', cursor_param 'after');
CALL api.script('/text_key', '[{"json": [{"id": 1, "meta": {"k/": "a"}}, {"id": 2, "meta": {"k/": "b \"&"}}]},
                               {"body": "[{\"id\": 3, \"meta\": {\"k/\": 123456789012345678901234567890}}]"}, {"json": []}]');
SELECT api.read('text_key');
-- a last record without the keyset column
CALL api.script('/ignorant', '[{"json": [{"id": 1}, {"id": 2}, {"no": 3}]}]', repeat => true);
SELECT api.fails('SELECT * FROM ignored_key');
