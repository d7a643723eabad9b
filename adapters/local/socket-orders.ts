/** Requests by the operator's command line, which is another process, for the running product's WebSocket connections. */
import { definedFields } from '../../shared/core/optional-fields.ts';
import { MINUTE_MS } from '../../shared/core/time.ts';
import type { Clock, Ids, Row, Sockets, Table } from '../../shared/ports.ts';

/** A request by the operator's command line, which is another process, for the running product's connections. */
type Order = { connection: string; message?: string; fault?: string };

const PARTITION = 'SOCKET-ORDERS';
/** Orders that no product has carried out by then are dropped. */
const ORDER_TTL_MS = MINUTE_MS;
const AT_ONCE = 100;

export function orderedSockets({ table, clock, ids }: { table: Table; clock: Clock; ids: Ids }): Sockets {
  async function order(value: Order): Promise<void> {
    await table.insert<Order>({ pk: PARTITION, sk: ids.uuid(), value, expiresAt: clock.now() + ORDER_TTL_MS });
  }
  return {
    async post(connection, message) {
      await order({ connection, message });
      return 'sent';
    },
    isThere: async () => true,
    close: (connection, fault) => order({ connection, ...definedFields({ fault }) }),
  };
}

/** Carries out the orders in the order they were given. */
export async function carryOutOrders(table: Table, sockets: Sockets): Promise<void> {
  const { rows } = await table.rows<Order>(PARTITION, '', { limit: AT_ONCE });
  for (const row of rows) if (await table.remove(row)) await carryOut(row, sockets);
}

async function carryOut({ value: { connection, message, fault } }: Row<Order>, sockets: Sockets): Promise<void> {
  if (message === undefined) await sockets.close(connection, fault);
  else await sockets.post(connection, message);
}
