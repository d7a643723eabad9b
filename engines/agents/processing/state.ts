/** What is known of each document while they are processed: also what the results show of it. */
import type { DocumentKind } from '../../documents/document.ts';
import type { UnusableReason } from './unusable.ts';

/** A value that a rule found, with where it stands. Of a model's answer that stands nowhere, place and excerpt are null. */
export type Value = {
  rule: string;
  value: string;
  text: string;
  place: string | null;
  excerpt: string | null;
} & Record<string, unknown>;

type Named = { document: number; url: string; name: string; type: string | null };

export type Processed = Named & {
  status: 'processed';
  kind: DocumentKind;
  size_bytes: number;
  places: number;
  characters: number;
  /** Of its characters, how many are letters, figures, marks or space; less for text that was read off a picture. */
  quality: number;
  values: Value[];
  /** Found and left out, because a document shows only so many. */
  values_left_out: number;
  /** Of each instruction, how much of the document the model was shown. */
  asked: number[];
};

export type DocumentState =
  | (Named & { status: 'pending' })
  | Processed
  | (Named & { status: 'failed'; reason: UnusableReason; message: string });

export const isProcessed = (state: DocumentState): state is Processed => state.status === 'processed';
