/*
 * explain.c
 *	  What EXPLAIN shows of a scan.
 *
 * Without ANALYZE no scan has begun, so its state is made here, as far as it
 * can be made without evaluating anything.
 */
#include "explain.h"

#include "access/xact.h"
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "describe.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "option_rule.h"
#include "plan.h"
#include "scan.h"
#include "stream.h"
#include "url.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/resowner.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"

/* What is explained, and what was found out about it. */
typedef struct Explained
{
	ForeignScanState *node;
	const CfdwScanCommon *common; /* of the scan, or made here */
	CfdwScanCommon *made;         /* here, or NULL */
	const char *position;         /* where it will begin, in words; NULL: not known */
} Explained;

/* ---- the request ---- */

/* Append name={placeholder} where the walk adds it. */
static void
add_pair(StringInfo url, const CfdwOptions *options, const char *name, const char *placeholder)
{
	if (name == NULL || uses(options, placeholder) || cfdw_url_has_param(url->data, name))
		return;
	appendStringInfo(url, "%c%s={%s}", strchr(url->data, '?') ? '&' : '?', name, placeholder);
}

/* The request as its options say it, with the placeholders unfilled. */
static char *
sketch_request(const CfdwOptions *options)
{
	const char *secret = options->auth == CFDW_AUTH_API_KEY && options->api_key_in_query ? options->api_key_name : NULL;
	size_t base = strlen(options->base_url);
	StringInfoData url;

	while (base > 0 && options->base_url[base - 1] == '/')
		base--;
	initStringInfo(&url);
	appendStringInfo(&url, "%.*s%s", (int) base, options->base_url, options->endpoint);
	if (options->params != NULL && options->params[0] != '\0')
		appendStringInfo(&url, "%c%s", strchr(url.data, '?') ? '&' : '?', options->params);
	add_pair(&url, options, options->cursor_param, "cursor");
	add_pair(&url, options, options->offset_param, "offset");
	add_pair(&url, options, options->page_param, "page");
	if (options->page_size > 0)
		add_pair(&url, options, options->limit_param, "limit");
	add_pair(&url, options, options->timestamp_param, "since");
	add_pair(&url, options, options->until_param, "until");
	add_pair(&url, options, options->sync_token_param, "sync_token");
	if (secret != NULL)
		add_pair(&url, options, secret, "api_key");
	return psprintf("%s %s", options->method, cfdw_url_mask(CurrentMemoryContext, url.data, secret));
}

static const char *
word(const char *option, int value)
{
	return cfdw_word_of(cfdw_option_lookup(CFDW_PLACE_TABLE, option)->words, value);
}

static void
show_request(const CfdwOptions *options, ExplainState *es)
{
	ExplainPropertyText("Request", sketch_request(options), es);
	if (options->body != NULL && es->verbose)
		ExplainPropertyText("Body", options->body, es);
	ExplainPropertyText("Pagination", word("pagination", options->pagination), es);
}

/* ---- values of param columns ---- */

/* "repo = 'a'", "repo = ANY ('{a,b}'::text[])", "repo = ?" for a column without a value */
static char *
describe_partition(ForeignScanState *node, const CfdwParams *params, ExplainState *es)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	List *context = set_deparse_context_plan(es->deparse_cxt, (Plan *) plan, NIL);
	CfdwPlanBinding *bindings;
	int count = cfdw_plan_bindings(plan, &bindings);
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < params->count; i++)
	{
		const CfdwParam *param = &params->items[i];
		const char *value = "?";

		for (int j = 0; j < count; j++)
			if (bindings[j].attnum == param->attnum)
				value = psprintf(bindings[j].is_array ? "ANY (%s)" : "%s",
								 deparse_expression((Node *) bindings[j].value, context, false, false));
		appendStringInfo(&out, "%s%s = %s", i > 0 ? ", " : "", quote_identifier(param->column), value);
	}
	return out.data;
}

static bool
find_unknown(Node *node, void *arg)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan) || expression_tree_walker(node, find_unknown, arg);
}

/* Are the conditions on param columns such that evaluating them does nothing but compare constants? */
static bool
is_constant(ForeignScan *plan)
{
	return !find_unknown((Node *) plan->fdw_exprs, NULL) && !contain_mutable_functions((Node *) plan->fdw_exprs);
}

/* ---- what the first fetch would find ---- */

/* The message of an error that is no wish to end the statement, else it is raised again. */
static char *
take_error(MemoryContext context)
{
	ErrorData *error;
	int category;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
	if (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INSUFFICIENT_RESOURCES || category == ERRCODE_INTERNAL_ERROR)
		PG_RE_THROW();
	FlushErrorState();
	return error->message;
}

/* Call fn; what it raises is given back, and what it did half is undone. */
static char *
attempt(void (*fn)(Explained *), Explained *explained)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	char *volatile message = NULL;

	if (IsInParallelMode()) /* before 17 it has no subtransactions */
	{
		fn(explained);
		return NULL;
	}
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		fn(explained);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		message = take_error(context);
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return message;
}

static void
prepare(Explained *explained)
{
	CfdwScanCommon *common = palloc0(sizeof(CfdwScanCommon));

	cfdw_scan_prepare(explained->node, common);
	explained->common = explained->made = common;
}

/* Open the first stream as somebody who only looks, up to its first request. */
static void
rehearse(Explained *explained)
{
	CfdwScanCommon *common = explained->made;
	const CfdwPartition *partition;
	CfdwPosition position;
	CfdwReader *reader;

	cfdw_scan_check(common);
	if (!is_constant((ForeignScan *) explained->node->ss.ps.plan))
		return;
	cfdw_bound_start(common->bound);
	partition = cfdw_bound_next(common->bound);
	if (partition == NULL || (reader = cfdw_stream_open(common, partition)) == NULL)
		return;
	position = cfdw_stream_position(reader);
	explained->position = cfdw_describe_position(common->foreign_table, &position);
	cfdw_stream_close(reader);
	if (cfdw_bound_next(common->bound) != NULL)
		explained->position = NULL; /* each partition has one of its own */
}

/* ---- what is shown ---- */

/* Positions are for those who may see the view status. */
static bool
may_see_position(const CfdwScanCommon *common)
{
	return pg_class_aclcheck(common->foreign_table, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

static void
show_consumer(const Explained *explained, ExplainState *es)
{
	const CfdwScanCommon *common = explained->common;
	const CfdwConsumer *consumer = cfdw_consumer_of(explained->node);

	ExplainPropertyText("Checkpoint", word("checkpoint", common->options->checkpoint), es);
	if (common->options->checkpoint == CFDW_MODE_NONE)
		return;
	ExplainPropertyText("Consumer", cfdw_guc_consumer, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
		ExplainPropertyText("Advance", psprintf("%s (%s)", consumer->advances ? "yes" : "no", consumer->reason), es);
	else
	{
		ExplainPropertyBool("Advance", consumer->advances, es);
		ExplainPropertyText("Advance Reason", consumer->reason, es);
	}
	if (explained->position != NULL && may_see_position(common))
		ExplainPropertyText("Position", explained->position, es);
}

static char *
describe_position(const CfdwScanCommon *common, const char *json)
{
	CfdwPosition position;
	CfdwError err;

	if (!cfdw_position_parse(CurrentMemoryContext, json, &position, &err))
		return NULL;
	return cfdw_describe_position(common->foreign_table, &position);
}

/* The position after a scan that advanced; its stream may still be open. */
static void
show_position_after(const CfdwScanCommon *common, const CfdwReader *reader, ExplainState *es)
{
	CfdwPosition position;
	char *words;

	if (common->visitor == NULL || common->streams != 1 || !may_see_position(common))
		return;
	if (reader == NULL)
		words = describe_position(common, common->ended);
	else
	{
		position = cfdw_stream_position(reader);
		words = cfdw_describe_position(common->foreign_table, &position);
	}
	if (words != NULL)
		ExplainPropertyText("Position After", words, es);
}

static void
show_counts(const CfdwScanCommon *common, const CfdwWalkCounts *counts, ExplainState *es)
{
	if (common->streams > 1)
		ExplainPropertyInteger("Streams", NULL, common->streams, es);
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		char *fetched = psprintf("pages=" INT64_FORMAT " requests=" INT64_FORMAT " retries=" INT64_FORMAT " bytes=" INT64_FORMAT,
								 counts->pages, counts->requests, counts->retries, counts->bytes);
		char *records = psprintf("new=" INT64_FORMAT " known=" INT64_FORMAT " held back=" INT64_FORMAT " rejected=" INT64_FORMAT,
								 counts->records, counts->skipped, counts->held_back, counts->rejected);

		ExplainPropertyText("Fetched", fetched, es);
		ExplainPropertyText("Records", records, es);
		return;
	}
	ExplainPropertyInteger("Pages", NULL, counts->pages, es);
	ExplainPropertyInteger("Requests", NULL, counts->requests, es);
	ExplainPropertyInteger("Retries", NULL, counts->retries, es);
	ExplainPropertyInteger("Bytes", NULL, counts->bytes, es);
	ExplainPropertyInteger("New Records", NULL, counts->records, es);
	ExplainPropertyInteger("Known Records", NULL, counts->skipped, es);
	ExplainPropertyInteger("Held Back Records", NULL, counts->held_back, es);
	ExplainPropertyInteger("Rejected Records", NULL, counts->rejected, es);
}

static void
show_times(const CfdwScanCommon *common, const CfdwWalkCounts *counts, ExplainState *es)
{
	const CfdwStreamTimes *times = &common->times;
	double http = counts->http_us / 1000.0;
	double wait = INSTR_TIME_GET_MILLISEC(times->waits[CFDW_WAIT_CONNECT]) + INSTR_TIME_GET_MILLISEC(times->waits[CFDW_WAIT_RESPONSE]);
	double backoff = INSTR_TIME_GET_MILLISEC(times->waits[CFDW_WAIT_BACKOFF]);
	double decode = INSTR_TIME_GET_MILLISEC(times->read) - wait - backoff;

	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Times", psprintf("http=%.3f wait=%.3f backoff=%.3f decode=%.3f", http, wait, backoff, decode), es);
		return;
	}
	ExplainPropertyFloat("HTTP Time", "ms", http, 3, es);
	ExplainPropertyFloat("HTTP Wait Time", "ms", wait, 3, es);
	ExplainPropertyFloat("Backoff Time", "ms", backoff, 3, es);
	ExplainPropertyFloat("Decode Time", "ms", decode, 3, es);
}

/* With ANALYZE: what the scan did, unless it never ran. */
static void
show_figures(const CfdwScanCommon *common, const CfdwReader *reader, ExplainState *es)
{
	CfdwWalkCounts counts = cfdw_stream_counts(common, reader);

	show_position_after(common, reader, es);
	show_counts(common, &counts, es);
	if (es->timing)
		show_times(common, &counts, es);
}

void
cfdwExplainForeignScan(ForeignScanState *node, ExplainState *es)
{
	Explained explained = {.node = node};
	const CfdwReader *reader = NULL;
	const CfdwScanCommon *begun = cfdw_scan_begun(node, &reader);
	char *error = NULL;

	if (begun == NULL)
	{
		error = attempt(prepare, &explained);
		if (error == NULL)
			error = attempt(rehearse, &explained);
	}
	else
	{
		explained.common = begun;
		if (begun->streams == 1)
			explained.position = describe_position(begun, begun->began);
	}
	if (explained.common != NULL)
	{
		show_request(explained.common->options, es);
		if (explained.common->params->count > 0)
			ExplainPropertyText("Partition", describe_partition(node, explained.common->params, es), es);
		show_consumer(&explained, es);
	}
	if (begun != NULL && begun->streams > 0 && es->analyze)
		show_figures(begun, reader, es);
	if (error != NULL)
		ExplainPropertyText("Error", error, es);
}
