-- What a database needs to talk to the scripted API server (server.py); the
-- test runner calls it with psql -v api_url=http://127.0.0.1:PORT.
--
-- The functions send the server's control requests through the curl program,
-- so tests need nothing but psql and leave no trace in the session (no
-- temporary table, nothing that a read-only or a prepared transaction
-- refuses).  The foreign server "api" points at it.

CREATE EXTENSION checkpoint_fdw;

CREATE SERVER api FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url :'api_url');
GRANT USAGE ON FOREIGN SERVER api TO PUBLIC;

CREATE SCHEMA api;
GRANT USAGE ON SCHEMA api TO PUBLIC;
CREATE TABLE api.server (url text NOT NULL);
INSERT INTO api.server VALUES (:'api_url');

-- One control request; gives back the answer's body.
CREATE FUNCTION api.call(method text, request text, body json DEFAULT NULL) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  answer text := 'api.' || pg_backend_pid();    -- in the data directory
BEGIN
  -- hex, as COPY would escape backslashes
  EXECUTE format('COPY (SELECT %L) TO PROGRAM %L',
                 encode(convert_to(coalesce(body::text, ''), 'UTF8'), 'hex'),
                 format('curl -sS -f -X %s --data-binary @- -o %s ''%s%s''',
                        method, answer, (SELECT url FROM api.server), request));
  RETURN pg_read_file(answer);
END $$;

-- Answer the requests to path by these steps, one after the other (see Handler in server.py).
CREATE PROCEDURE api.script(path text, script json, repeat boolean DEFAULT false)
BEGIN ATOMIC
  SELECT api.call('POST', '/_rule?hex', json_build_object('path', path, 'script', script, 'repeat', repeat));
END;

-- Lay steps over what is there: for request number k, {"k": step}, and for every request.
CREATE PROCEDURE api.overlay(path text, at json, always json DEFAULT '{}')
BEGIN ATOMIC
  SELECT api.call('POST', '/_rule?hex', json_build_object('path', path, 'at', at, 'always', always));
END;

-- Serve records at /name and /name/KIND, in every page kind.
CREATE PROCEDURE api.collection(name text, records json, key text DEFAULT 'id')
BEGIN ATOMIC
  SELECT api.call('POST', '/_collection?hex', json_build_object('name', name, 'records', records, 'key', key));
END;

-- The same with a filter (see server.py), such as {"column": "at", "since": "since", "order": "asc"}.
CREATE PROCEDURE api.filtered(name text, filter json, records json)
BEGIN ATOMIC
  SELECT api.call('POST', '/_collection?hex', json_build_object('name', name, 'records', records, 'filter', filter));
END;

-- Records that replace those of the same key, or are new; records that go.
CREATE PROCEDURE api.put(name text, records json)
BEGIN ATOMIC
  SELECT api.call('POST', '/_collection?hex', json_build_object('name', name, 'put', records));
END;

CREATE PROCEDURE api.remove(name text, VARIADIC keys int[])
BEGIN ATOMIC
  SELECT api.call('POST', '/_collection?hex', json_build_object('name', name, 'remove', keys));
END;

-- Records {"id": i, "at": time, "name": "record i"}, a minute after each other from a time on.
CREATE FUNCTION api.dated(first bigint, last bigint, start timestamptz, step interval DEFAULT '1 minute') RETURNS json
BEGIN ATOMIC
  SELECT json_agg(json_build_object('id', i, 'at', to_char(start AT TIME ZONE 'UTC' + (i - first) * step, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'name', 'record ' || i) ORDER BY i)
  FROM generate_series(first, last) i;
END;

-- Records {"id": i, "name": "record i"}, first to last.
CREATE FUNCTION api.records(first bigint, last bigint) RETURNS json
BEGIN ATOMIC
  SELECT coalesce(json_agg(json_build_object('id', i, 'name', 'record ' || i) ORDER BY i), '[]')
  FROM generate_series(first, last) i;
END;

-- The same over such records; more of them.
CREATE PROCEDURE api.collection(name text, first bigint, last bigint)
BEGIN ATOMIC
  SELECT api.call('POST', '/_collection?hex', json_build_object('name', name, 'records', api.records(first, last)));
END;

CREATE PROCEDURE api.append(name text, first bigint, last bigint)
BEGIN ATOMIC
  SELECT api.call('POST', '/_collection?hex', json_build_object('name', name, 'append', api.records(first, last)));
END;

-- Let held answers go.
CREATE PROCEDURE api.release(path text DEFAULT NULL)
BEGIN ATOMIC
  SELECT api.call('POST', '/_release?hex', json_build_object('path', path));
END;

-- Wait until path has been asked so many times.
CREATE PROCEDURE api.wait(path text, count int DEFAULT 1)
BEGIN ATOMIC
  SELECT api.call('GET', format('/_wait?path=%s&count=%s', path, count));
END;

-- The requests seen since the last log() or clear(), each with these of its
-- headers ("conn": number of the connection).
CREATE FUNCTION api.log(VARIADIC headers text[] DEFAULT '{}') RETURNS SETOF text
BEGIN ATOMIC
  SELECT line
  FROM string_to_table(api.call('GET', '/_log?take&headers=' || array_to_string(headers, ',')), E'\n') line
  WHERE line <> '';
END;

-- Forget rules, requests and changes of data.
CREATE PROCEDURE api.clear()
BEGIN ATOMIC
  SELECT api.call('POST', '/_clear');
END;

-- 1-10 12: runs of numbers, in the order in which they came.
CREATE FUNCTION api.runs(ids int[]) RETURNS text
BEGIN ATOMIC
  WITH number AS (SELECT id, n, id = lag(id) OVER (ORDER BY n) + 1 AS goes_on FROM unnest(ids) WITH ORDINALITY u(id, n)),
       member AS (SELECT id, n, count(*) FILTER (WHERE goes_on IS NOT TRUE) OVER (ORDER BY n) AS run FROM number),
       run AS (SELECT run, (array_agg(id ORDER BY n))[1] AS first, (array_agg(id ORDER BY n DESC))[1] AS last FROM member GROUP BY run)
  SELECT coalesce(string_agg(CASE WHEN first = last THEN first::text ELSE first || '-' || last END, ' ' ORDER BY run), 'nothing')
  FROM run;
END;

-- Read a foreign table: the ids that came, and the requests with these of their headers.
CREATE FUNCTION api.read(source text, VARIADIC headers text[] DEFAULT '{}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  ids int[];
BEGIN
  EXECUTE format('SELECT array_agg(id) FROM %I', source) INTO ids;
  RETURN NEXT 'read ' || api.runs(ids);
  RETURN QUERY SELECT '  ' || line FROM api.log(VARIADIC headers) line;
END $$;

-- The same, loaded into the table "target" (id int, name text); tail: what follows the SELECT, such as LIMIT 7.
CREATE FUNCTION api.load(source text, tail text DEFAULT '') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  ids int[];
BEGIN
  EXECUTE format('WITH load AS (INSERT INTO target SELECT id, name FROM %I %s RETURNING id) SELECT array_agg(id) FROM load', source, tail) INTO ids;
  RETURN NEXT 'loaded ' || api.runs(ids);
  RETURN QUERY SELECT '  ' || line FROM api.log() line;
END $$;

-- Run a command that must fail: all that the error says, and the requests.
CREATE FUNCTION api.fails(command text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  message text;
  detail text;
  hint text;
  context text;
BEGIN
  EXECUTE command;
  RETURN NEXT 'no error';
  RETURN QUERY SELECT '  ' || line FROM api.log() line;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
  context := regexp_replace(context, E'\\n?(SQL statement|PL/pgSQL function) .*', '');   -- our own part of it
  RETURN NEXT concat_ws(E'\n  ', SQLSTATE || ' ' || message, 'DETAIL: ' || nullif(detail, ''), 'HINT: ' || nullif(hint, ''), 'CONTEXT: ' || nullif(context, ''));
  RETURN QUERY SELECT '  ' || line FROM api.log() line;
END $$;
