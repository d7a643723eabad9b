/** What the poster's thread and the product's own say to each other. */
import type { Fields, LogLevel } from '../../../shared/core/log.ts';
import type { Post, Posted } from '../../../shared/ports.ts';

/** Its own places, which no webhook may name. */
export type PosterSettings = { ownHosts: string[] };

export type PosterRequest = { id: number; address: string; message: Parameters<Post>[1] } | { cut: number };

export type PosterMessage =
  | { id: number; posted: Posted }
  | { id: number; error: unknown }
  | { level: LogLevel; message: string; fields: Fields | undefined };
