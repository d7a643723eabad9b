/** A function that reads one item by the adapter of the table: what a call of a function that is warm costs. */
import { tableFrom } from '../../../adapters/aws/context.ts';

const table = tableFrom(process.env);

export async function handler() {
  const row = await table.get({ pk: 'O#organization#T#task', sk: 'TASK' });
  return { statusCode: row ? 200 : 404 };
}
