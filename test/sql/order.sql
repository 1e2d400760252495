-- A list that comes newest first is an error in the modes that go on behind the last record (DESIGN 2.1).
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
ALTER SERVER api OPTIONS (ADD prefetch '0');
CREATE TABLE target (id int, name text, at timestamptz);

-- Records at times so many minutes after another, null where it is null.
CREATE FUNCTION at_minutes(VARIADIC minutes int[]) RETURNS json LANGUAGE sql AS $$
	SELECT json_agg(json_build_object('id', n, 'name', 'r', 'at', '2024-05-01T10:00:00Z'::timestamptz + m * interval '1 min') ORDER BY n)
	FROM unnest(minutes) WITH ORDINALITY u(m, n) $$;
CREATE FUNCTION try(VARIADIC minutes int[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM checkpoint_fdw.reset('items');
	CALL api.collection('items', at_minutes(VARIADIC minutes));
	RETURN QUERY SELECT * FROM api.fails('INSERT INTO target SELECT id, name, at FROM items') line WHERE line NOT LIKE '  GET%';
END $$;
CREATE FOREIGN TABLE items (name text, seen timestamptz OPTIONS (source 'fetched_at'), at timestamptz, id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=12', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');

SELECT try(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
-- a few are of the same time
SELECT try(10, 9, 9, 7, 6, 5, 5, 3, 2, 1);
-- it is the first page that counts
SELECT try(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 30);
SELECT try(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
-- a record without a time says nothing
SELECT try(11, 10, null, 9, 8, 7, 6, 5, 4, 3, 2);
-- too few, in any order, oldest first, all of one time
SELECT try(9, 8, 7, 6, 5, 4, 3, 2, 1);
SELECT try(10, 9, 8, 7, 6, null, 4, 3, 2, 1);
SELECT try(10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 3);
SELECT try(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
SELECT try(1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
SELECT try(2, 2, 2, 2, 2, 2, 2, 2, 2, 1);
-- a look says so, too; one that does not want the column cannot know
SELECT try(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
SELECT * FROM api.fails('SELECT * FROM items');
SELECT * FROM api.fails('SELECT id FROM items');
-- nor can a statement that does not read the whole page
SELECT * FROM api.fails('INSERT INTO target SELECT id, name, at FROM items LIMIT 9');
SELECT * FROM api.fails('INSERT INTO target SELECT id, name, at FROM items');

-- with an order it is the user's word
ALTER FOREIGN TABLE items OPTIONS (ADD record_order 'asc');
SELECT try(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
-- other modes do not mind
ALTER FOREIGN TABLE items OPTIONS (DROP record_order, SET checkpoint 'keys');
SELECT try(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'none');
SELECT try(10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
-- by offset
CREATE FOREIGN TABLE offsets (name text, at timestamptz, id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items/offset', params 'limit=12', records_path '/data', offset_param 'offset', checkpoint 'offset');
SELECT * FROM api.fails('INSERT INTO target SELECT id, name, at FROM offsets');
-- what it says to do
CREATE FOREIGN TABLE latest (name text, at timestamptz, id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=12', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'timestamp', timestamp_column 'at', record_order 'desc');
TRUNCATE target;
INSERT INTO target SELECT id, name, at FROM latest;
SELECT count(*) FROM target;
