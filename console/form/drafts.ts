/** What was typed and not sent yet, while the tab lives: a session that ends in between costs nobody their words. */
import type { Values } from './field-spec.ts';

const drafts = new Map<string, Values>();

export const draftOf = (form: string): Values => drafts.get(form) ?? {};
export const keepDraft = (form: string, values: Values): void => void drafts.set(form, values);
export const dropDraft = (form: string): void => void drafts.delete(form);
