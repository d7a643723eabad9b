/** Records in the console: the schema in the form, and each value with its quote. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import { axeFaults } from './axe-faults.ts';
import { clientsOf, type OpenConsole, openConsole, rootOf } from './open-console.ts';
import { withProduct } from './with-product.ts';

const world = withProduct();
const INVOICE = `Quay Supplies GmbH
Invoice number: QS-4471
Invoice date: 2026-11-02
Customer number: K-4711-2026
Payment method: direct debit
Delivery note number: DN-2026-11-0002

| Description | Quantity | Amount |
| --- | --- | --- |
| <b>Rope</b> | 2 | 40.00 |
| Lamp | 1 | 60.00 |

Total: EUR 100.00
`;
const [text, number] = [{ type: 'string' }, { type: 'number' }];
const SCHEMA = {
  type: 'object',
  properties: {
    invoice_number: text,
    invoice_date: { type: 'string', format: 'date' },
    customer_number: text,
    payment_method: text,
    delivery_note_number: text,
    total: number,
    tax: number,
    lines: { type: 'array', items: { type: 'object', properties: { description: text, amount: number } } },
  },
};

let taskId: string;
let promptId: string;
let listId: string;
let at: OpenConsole;
afterEach(() => at.close());

beforeAll(async () => {
  const { people, files, tasks } = clientsOf(world.product);
  const { fileId } = await files.upload(Buffer.from(INVOICE), { fileName: 'invoice.md' });
  const { task_id } = await people.submit({
    task_type: 'processing_agent',
    input: { documents: [{ file_id: fileId }], output_schema: SCHEMA },
  });
  taskId = task_id;
  await people.wait(taskId);
  const { taskId: chat } = await tasks.create({
    namespace: 'records',
    delivery: { type: 'webhook', config: { endpoint: `${rootOf(world.product)}catch/` } },
    input: { type: 'chat', prompt: 'Note the invoice.', fileIds: [fileId], outputSchema: SCHEMA, onMissing: 'fail' },
  });
  promptId = chat;
  const list = await people.submit({
    task_type: 'processing_agent',
    input: {
      documents: [{ file_id: fileId }],
      output_schema: { type: 'object', properties: { invoices: { type: 'array', items: SCHEMA } } },
    },
  });
  listId = list.task_id;
  await people.wait(listId);
  await tasks.wait(chat);
});

const open = async (options: object = {}, id = taskId) => {
  at = await openConsole(world.browser, world.product, { place: `#/agents/${id}`, ...options });
  await at.page.getByRole('heading', { name: 'Records' }).waitFor();
  return at.page;
};

it('shows each document as a row, arrays as tables, and the status of each value in a word', async () => {
  const page = await open();
  const record = page.getByRole('region', { name: 'Record', exact: true });
  expect(await record.getByRole('columnheader').allTextContents()).toEqual([
    'Document',
    'Invoice number',
    'Invoice date',
    'Customer number',
    'Payment method',
    'Delivery note number',
    'Total',
    'Tax',
  ]);
  expect(await record.getByRole('rowheader').allTextContents()).toEqual(['invoice.md']);
  await record.getByRole('button', { name: 'QS-4471, proven' }).waitFor();
  await record.getByRole('button', { name: 'no value, missing' }).waitFor();
  // The request names the fields, and not the words of JSON Schema.
  const request = page.getByRole('region', { name: 'Request' });
  await request.getByText('Lines: Description, Amount').waitFor();
  const lines = page.getByRole('region', { name: 'Lines', exact: true });
  expect(await lines.getByRole('rowheader').allTextContents()).toEqual(['1', '2']);
  // Foreign text is shown unchanged.
  await lines.getByRole('button', { name: '<b>Rope</b>, proven' }).waitFor();
  expect(at.complaints).toEqual([]);
});

it('shows the lines of each invoice of a list as a table of their own', async () => {
  const page = await open({}, listId);
  const invoices = page.getByRole('region', { name: 'Invoices', exact: true });
  expect(await invoices.getByRole('rowheader').allTextContents()).toEqual(['1']);
  const lines = page.getByRole('region', { name: 'Invoices lines', exact: true });
  expect(await lines.getByRole('columnheader').allTextContents()).toEqual(['Row', 'Description', 'Amount']);
  expect(await lines.getByRole('rowheader').allTextContents()).toEqual(['1.1', '1.2']);
});

it('shows the passage of a value on hover and on keyboard focus', async () => {
  const page = await open();
  const evidence = page.locator('output.evidence');
  await page.getByRole('button', { name: 'QS-4471, proven' }).hover();
  expect(await evidence.textContent()).toMatch(/Invoice number: QS-4471.*invoice\.md, /s);
  await page.getByRole('button', { name: 'DN-2026-11-0002, proven' }).focus();
  await page.keyboard.press('Tab');
  expect(await evidence.textContent()).toContain('Total: EUR 100.00');
  expect(await page.getByRole('button', { name: '100, proven' }).getAttribute('aria-pressed')).toBe('true');
  expect(await axeFaults(at)).toEqual([]);
});

it('shows the passage on a phone when a value is tapped, within the screen', async () => {
  const page = await open({ viewport: { width: 360, height: 740 }, hasTouch: true });
  await page.getByRole('button', { name: 'Lamp, proven' }).tap();
  // A table that is wider than the screen scrolls within.
  await page.getByRole('button', { name: '2026-11-02, proven' }).waitFor();
  const evidence = page.locator('output.evidence');
  expect(await evidence.textContent()).toContain('Lamp');
  const { x = -1, width = 0 } = (await evidence.boundingBox()) ?? {};
  expect([x >= 0, x + width <= 360]).toEqual([true, true]);
  const width360 = await page.evaluate('document.documentElement.scrollWidth');
  expect(width360).toBe(360);
});

it('shows the record of a prompt task, also of one that failed for a missing value', async () => {
  at = await openConsole(world.browser, world.product, { place: `#/prompts/${promptId}` });
  const { page } = at;
  await page.getByText('No value was found for tax').waitFor();
  const record = page.getByRole('region', { name: 'Record', exact: true });
  expect(await record.getByRole('rowheader').allTextContents()).toEqual(['invoice.md']);
  await record.getByRole('button', { name: 'QS-4471, proven' }).hover();
  expect(await page.locator('output.evidence').textContent()).toMatch(/Invoice number: QS-4471.*invoice\.md, /s);
  await page
    .getByRole('region', { name: 'Lines', exact: true })
    .getByRole('button', { name: 'Lamp, proven' })
    .waitFor();
  expect(at.complaints).toEqual([]);
});

it('takes the schema of a prompt task from a template, and says at its field where another is wrong', async () => {
  at = await openConsole(world.browser, world.product, { place: '#/prompts/new' });
  const { page } = at;
  await page.getByRole('textbox', { name: 'Prompt' }).fill('Note the order.');
  await page.getByText('A record instead of prose').click();
  const field = page.getByLabel('Your own schema');
  await page.getByRole('button', { name: 'Order' }).click();
  expect(JSON.parse(await field.inputValue()).properties.order_number).toEqual({ type: 'string' });
  await field.fill('{"type": "object", "properties": {"code": {"type": "string", "format": "ipv4"}}}');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText(/^properties\.code\.format must be one of/).waitFor();
});

it('takes a schema from a template, and says where another is wrong', async () => {
  at = await openConsole(world.browser, world.product, { place: '#/agents/new?type=processing_agent' });
  const { page } = at;
  const field = page.getByLabel('Your own schema');
  await field.waitFor();
  await page.getByRole('button', { name: 'Receipt' }).click();
  expect(JSON.parse(await field.inputValue()).properties.company).toEqual({ type: 'string' });
  await field.fill('{"type": ');
  await page.getByLabel('Or public HTTPS addresses').fill('https://files.errand-tests.org/a.pdf');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page
    .getByText(/is not valid JSON/)
    .first()
    .waitFor();
  await field.fill('{"type": "object", "properties": {"code": {"type": "string", "format": "ipv4"}}}');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText(/^properties\.code\.format must be one of/).waitFor();
});
