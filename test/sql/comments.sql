-- Every object of the extension says what it is.
\pset format unaligned
\pset tuples_only on
SELECT pg_describe_object(classid, objid, 0)
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'checkpoint_fdw') AND deptype = 'e'
  AND coalesce(obj_description(objid, classid::regclass::text::name), '') = ''
ORDER BY 1;
-- and every column of the views for users
SELECT a.attrelid::regclass, a.attname
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = 'checkpoint_fdw'::regnamespace AND c.relkind = 'v' AND a.attnum > 0 AND col_description(a.attrelid, a.attnum) IS NULL
ORDER BY 1, a.attnum;
