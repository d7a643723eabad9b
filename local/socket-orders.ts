/** What the operator's command line, a process of its own, wants done with the running product's connections. */
import type { Clock, Ids, Row, Sockets, Table } from '../shared/ports.ts';

type Order = { connection: string; message?: string };

const PARTITION = 'SOCKET-ORDERS';
/** What no product has taken by then is too old. */
const KEPT_MS = 60_000;
const AT_ONCE = 100;

export function orderedSockets({ table, clock, ids }: { table: Table; clock: Clock; ids: Ids }): Sockets {
  async function order(value: Order): Promise<void> {
    await table.insert<Order>({ pk: PARTITION, sk: ids.uuid(), value, expiresAt: clock.now() + KEPT_MS });
  }
  return {
    async post(connection, message) {
      await order({ connection, message });
      return 'sent';
    },
    isThere: async () => true,
    close: (connection) => order({ connection }),
  };
}

/** In the order they were given. */
export async function carryOutOrders(table: Table, sockets: Sockets): Promise<void> {
  const { rows } = await table.rows<Order>(PARTITION, '', { limit: AT_ONCE });
  for (const row of rows) if (await table.remove(row)) await carryOut(row, sockets);
}

async function carryOut({ value: { connection, message } }: Row<Order>, sockets: Sockets): Promise<void> {
  if (message === undefined) await sockets.close(connection);
  else await sockets.post(connection, message);
}
