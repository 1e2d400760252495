/* sql/checkpoint_fdw--1.0.sql */

-- complain if the script is sourced in psql rather than run by CREATE EXTENSION
\echo Use "CREATE EXTENSION checkpoint_fdw" to load this file. \quit

GRANT USAGE ON SCHEMA @extschema@ TO PUBLIC;


---- the foreign data wrapper

CREATE FUNCTION @extschema@.handler() RETURNS fdw_handler
LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'checkpoint_fdw_handler';

CREATE FOREIGN DATA WRAPPER checkpoint_fdw
  HANDLER @extschema@.handler;
