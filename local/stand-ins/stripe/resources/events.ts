/** Events: what happened, with the object as it was then; kept for thirty days. */
import { invalidParameter, noSuch } from '../errors.js';
import { page } from '../listing.js';
import { pathValue, type Route } from '../routing.js';

const KEPT_SECONDS = 30 * 86_400;
const MOST_TYPES = 20;

/** Whether an event's type is one of those asked for; `charge.*` and `*` are patterns. */
function typeMatches(type: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type,
  );
}

export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/events',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      const { parameters, transaction } = call;
      const type = parameters.text('type');
      const types = parameters.texts('types');
      const delivered = parameters.boolean('delivery_success');
      if (type !== undefined && types !== undefined)
        throw invalidParameter('types', 'Only one of type and types may be given');
      if (types && types.length > MOST_TYPES)
        throw invalidParameter('types', `At most ${MOST_TYPES} types may be given`);
      const patterns = types ?? (type === undefined ? undefined : [type]);
      const oldest = transaction.now - KEPT_SECONDS;
      const isExact = patterns?.every((pattern) => !pattern.endsWith('*')) ?? false;
      return page(call, 'events', '/v1/events', {
        anyOf: isExact ? { field: 'type', values: patterns ?? [] } : undefined,
        matches: (event) =>
          event.created >= oldest &&
          (patterns === undefined || typeMatches(event.type, patterns)) &&
          (delivered === undefined || delivered === (event.pending_webhooks === 0)),
      });
    },
  },
  {
    method: 'GET',
    path: '/v1/events/:id',
    access: 'secret',
    onAccounts: true,
    run: (call) => {
      call.parameters.refuseUnknown();
      const id = pathValue(call, 'id');
      const record = call.transaction.get('events', id);
      if (!record || record.api.created < call.transaction.now - KEPT_SECONDS) throw noSuch('event', id);
      return record.api;
    },
  },
];
