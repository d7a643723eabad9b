/** The parts whose worth can be measured, and the sets that each may change. */
export const PARTS = {
  /** Text and tables of PDFs by positions, in place of the order in which they were drawn. */
  geometry: ['tables', 'invoices'],
  /** Values by label and position. */
  labels: ['receipts', 'invoices'],
  /** The header rows of sheets, in place of each sheet's first row. */
  headers: ['spreadsheets'],
} as const;
export type Part = keyof typeof PARTS;

/** How the command tells the product that it starts. */
export const VARIABLE = 'QUALITY_WITHOUT';

export const isPart = (name: string): name is Part => Object.hasOwn(PARTS, name);

export function partLeftOut(): Part | undefined {
  const name = process.env[VARIABLE] ?? '';
  return isPart(name) ? name : undefined;
}
