/** The operations by which a field may be computed from values of the document. Prompts name them without loading the arithmetic. */
export const OPERATIONS = [
  'sum',
  'difference',
  'product',
  'quotient',
  'percentage_of',
  'percentage_change',
  'count',
  'min',
  'max',
  'mean',
  'convert',
] as const;
