/** The names inside the DynamoDB table. Attribute names are short because every row pays for them. */

export const ATTRIBUTES = {
  pk: 'pk',
  sk: 'sk',
  version: 'v',
  /** JSON text; a counter row has none. */
  value: 'd',
  /** In milliseconds, exact: this is what the conditions and filters read. */
  expiresAt: 'x',
  /** The same in seconds, for DynamoDB's own deletion, which may come days later. */
  timeToLive: 'u',
  list: 'l',
  /** Instant and id in one text that sorts by both. */
  order: 'o',
  state: 's',
  type: 't',
  priority: 'p',
  endedAt: 'e',
  shard: 'h',
  dueAt: 'w',
} as const;

/** Begins the name of a counter's attribute. */
export const COUNTER_PREFIX = 'c.';

const A = ATTRIBUTES;

export type IndexLayout = {
  name: string;
  partition: { name: string; type: 'S' };
  sort: { name: string; type: 'S' | 'N' };
  /** Projected beside the keys of the index and of the table. */
  include: string[];
};

/** Both are sparse: a row without these attributes costs the index nothing. */
export const INDEXES = {
  list: {
    name: 'list',
    partition: { name: A.list, type: 'S' },
    sort: { name: A.order, type: 'S' },
    include: [A.state, A.type, A.priority, A.endedAt, A.expiresAt],
  },
  due: {
    name: 'due',
    partition: { name: A.shard, type: 'S' },
    sort: { name: A.dueAt, type: 'N' },
    include: [A.expiresAt],
  },
} satisfies Record<string, IndexLayout>;
