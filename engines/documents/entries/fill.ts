/** Fills `{path}` in a template with what stands there in a record. */

/** What stands at a path: text or a number, or nothing. */
export type RecordLookup = (path: string) => string | undefined;

const BLANK = /\{([^{}]*)\}/g;

export const fillTemplate = (template: string, at: RecordLookup): string =>
  template.replaceAll(BLANK, (_, path: string) => at(path.trim()) ?? '');

/** Whether anything was found for it, if it asks for something. */
export const hasValue = (template: string, at: RecordLookup): boolean => {
  const blanks = [...template.matchAll(BLANK)];
  return blanks.length === 0 || blanks.some(([, path = '']) => (at(path.trim()) ?? '') !== '');
};
