import { ActivityList, ActivityQuery, ActivityWatch } from '@berth/contract';
import { tracked } from '@trpc/server';
import { listActivities } from '../services/activities/activities.ts';
import { type ActivityWatch as OpenWatch, watchActivities } from '../services/activities/activity-watch.ts';
import { toServiceError, toTrpcError } from './error-body.ts';
import { accountProcedure, operations, router } from './trpc.ts';

const op = operations('Account', accountProcedure);

/** The procedures for the audit log. Source: api §6. */
export const activities = router({
  list: op('GET /activities', 'List the activities of the account, newest first', {
    success: 'One page of the audit log; or, for `Accept: text/event-stream`, the activities as they happen.',
    description:
      'Every change to the account and its resources is one activity. Activities never contain a secret. The filters `event` and `authMethod` apply to pages and to the stream. With `Accept: text/event-stream`, the response is a stream of server-sent events that does not end: `id` is the cursor of an activity, `event` its name, `data` the activity as JSON. A client that sends the header `Last-Event-ID` resumes after that activity; with the query parameter `last`, the stream begins with that many past activities that match the filters. An `event` with the name `error` has the error body and ends the stream.',
    events: 'activities.watch',
  })
    .input(ActivityQuery.prefault({}))
    .output(ActivityList)
    .query(({ ctx, input }) => listActivities(ctx, input)),

  /** Streams new activities. tRPC clients resume automatically with the id of the last event. Source: api §9. */
  watch: accountProcedure.input(ActivityWatch).subscription(async ({ ctx, input, signal }) => {
    const { lastEventId, last, ...filter } = input ?? {};
    const watch = await watchActivities(ctx, {
      after: lastEventId ?? undefined,
      last,
      filter,
      signal: signal ?? new AbortController().signal,
    });
    ctx.beginAfter?.(watch.begin);
    return toEvents(watch);
  }),
});

/** Converts activities to tRPC events. Rethrows an `AbortError`, after which tRPC ends the connection without an error. */
async function* toEvents(watch: OpenWatch) {
  try {
    for await (const { id, activity } of watch.activities()) yield tracked(id, activity);
  } catch (error) {
    throw error instanceof Error && error.name === 'AbortError' ? error : toTrpcError(toServiceError(error));
  }
}
