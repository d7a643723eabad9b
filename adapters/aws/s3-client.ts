/**
 * S3's client and the commands that are sent to it. In the bundles it is a program of its own, which is loaded with the first
 * use of a bucket: it is half as large again as a function, and most calls need no bucket.
 */
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  type DeleteObjectCommandInput,
  GetObjectCommand,
  type GetObjectCommandInput,
  HeadObjectCommand,
  type HeadObjectCommandInput,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bytes } from '../../shared/ports.ts';
import type { clientConfig } from './connection.ts';

/** The smallest part that S3 accepts. Parts are sent one at a time, because each is held in memory. */
const PARTS = { partSize: 5 * 1024 * 1024, queueSize: 1 };

/** A stream throws its own end into a generator; a loop around it closes the source instead. */
async function* closable(source: Bytes): Bytes {
  for await (const chunk of source) yield chunk;
}

type UploadInput = { Bucket: string; Key: string; body: Bytes };

export function s3Requests(config: ReturnType<typeof clientConfig>) {
  const client = new S3Client({
    ...config,
    // An emulator of S3 may have a single host name, so the bucket's name is part of the path there.
    forcePathStyle: 'endpoint' in config,
    // A signed URL would otherwise demand the checksum of an empty body.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    disableS3ExpressSessionAuth: true,
    useArnRegion: false,
    sigv4aSigningRegionSet: [],
  });
  return {
    get: (input: GetObjectCommandInput) => client.send(new GetObjectCommand(input)),
    head: (input: HeadObjectCommandInput) => client.send(new HeadObjectCommand(input)),
    remove: (input: DeleteObjectCommandInput) => client.send(new DeleteObjectCommand(input)),
    list: (input: ListObjectsV2CommandInput) => client.send(new ListObjectsV2Command(input)),
    listVersions: (input: ListObjectVersionsCommandInput) => client.send(new ListObjectVersionsCommand(input)),
    /** One request for a short body, otherwise parts, which are removed if the upload fails. */
    upload: ({ body, ...place }: UploadInput) =>
      new Upload({
        client,
        params: { ...place, Body: Readable.from(closable(body), { objectMode: false }) },
        ...PARTS,
      }).done(),
    signedGet: (input: GetObjectCommandInput, expiresIn: number) =>
      getSignedUrl(client, new GetObjectCommand(input), { expiresIn }),
    signedPut: (input: PutObjectCommandInput, expiresIn: number) =>
      getSignedUrl(client, new PutObjectCommand(input), { expiresIn }),
  };
}

export type S3Requests = ReturnType<typeof s3Requests>;
