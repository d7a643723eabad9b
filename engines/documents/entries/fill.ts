/** Fills `{path}` in a template with what stands there in a record. */

/** What stands at a path: text or a number, or nothing. */
export type Lookup = (path: string) => string | undefined;

const BLANK = /\{([^{}]*)\}/g;

export const fill = (template: string, at: Lookup): string =>
  template.replaceAll(BLANK, (_, path: string) => at(path.trim()) ?? '');

/** Whether anything was found for it, if it asks for something. */
export const isFilled = (template: string, at: Lookup): boolean => {
  const blanks = [...template.matchAll(BLANK)];
  return blanks.length === 0 || blanks.some(([, path = '']) => (at(path.trim()) ?? '') !== '');
};
