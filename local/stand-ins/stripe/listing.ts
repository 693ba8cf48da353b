/** Pages of a collection, as every list of the API has them. */
import type { Api, CollectionName } from './collections.js';
import { invalidParameter, noSuch } from './errors.js';
import type { Call } from './routing.js';
import type { ListQuery } from './store.js';

const DEFAULT_LIMIT = 10;
const MOST = 100;

export interface Page<T> {
  object: 'list';
  url: string;
  has_more: boolean;
  data: T[];
}

type Filters<C extends CollectionName> = Pick<ListQuery<C>, 'where' | 'anyOf' | 'matches'>;

/**
 * `limit`, `starting_after`, `ending_before` and `created` are read here; the filters are the resource's own.
 */
export function page<C extends CollectionName>(
  call: Call,
  collection: C,
  url: string,
  filters: Filters<C> = {},
): Page<Api<C>> {
  const { parameters, transaction } = call;
  const limit = parameters.integer('limit') ?? DEFAULT_LIMIT;
  const startingAfter = parameters.text('starting_after');
  const endingBefore = parameters.text('ending_before');
  const created = parameters.timeRange('created');
  parameters.refuseUnknown();
  if (limit < 1)
    throw invalidParameter(
      'limit',
      'This value must be greater than or equal to 1.',
      'parameter_invalid_integer',
    );
  if (limit > MOST)
    throw invalidParameter(
      'limit',
      `This value must be less than or equal to ${MOST} (it currently is '${limit}').`,
      'parameter_invalid_integer',
    );
  if (startingAfter !== undefined && endingBefore !== undefined)
    throw invalidParameter(
      'ending_before',
      'Only one of starting_after and ending_before may be given',
      'parameters_exclusive',
    );
  for (const [param, cursor] of Object.entries({
    starting_after: startingAfter,
    ending_before: endingBefore,
  }))
    if (cursor !== undefined && !transaction.get(collection, cursor))
      throw noSuch('object', cursor, param, 400);
  const { data, hasMore } = transaction.list(collection, {
    ...filters,
    created,
    limit,
    startingAfter,
    endingBefore,
  });
  return { object: 'list', url, has_more: hasMore, data };
}
