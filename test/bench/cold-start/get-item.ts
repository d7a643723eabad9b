/** A function that reads one item through the table's adapter, to measure a warm call. */
import { tableFrom } from '../../../adapters/aws/context.ts';

const table = tableFrom(process.env);

export async function handler() {
  const row = await table.get({ pk: 'O#organization#T#task', sk: 'TASK' });
  return { statusCode: row ? 200 : 404 };
}
