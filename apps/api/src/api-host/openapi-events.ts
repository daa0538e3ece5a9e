import type { oas31 } from 'zod-openapi';

/** Describes the header that applies only to the event stream of an operation. Source: api §9. */
export const EVENT_PARAMETERS: oas31.ParameterObject[] = [
  {
    in: 'header',
    name: 'Last-Event-ID',
    description: 'For an event stream: the id of the last event that the client received. The stream resumes after it.',
    schema: { type: 'string' },
  },
];

const ACTIVITY = { event: 'token.create', created: 1790000000, token: 'a1b2c3d', authMethod: 'api-key', meta: {} };

/** Describes the body of an event stream. */
export const EVENT_CONTENT: oas31.ContentObject = {
  'text/event-stream': {
    schema: { type: 'string', description: 'Server-sent events, without an end.' },
    example: `retry: 1000\nid: 41\n\nid: 42\nevent: token.create\ndata: ${JSON.stringify(ACTIVITY)}\n\n`,
  },
};
