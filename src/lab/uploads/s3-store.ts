// As much of S3 as the uploads experiment uses: put, list and read, by Amazon's own client.

import { createRequire } from 'node:module'

/** Where the store is, and how to get in. */
export interface StoreAccess {
  readonly endpoint: string
  readonly bucket: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Path of @aws-sdk/client-s3. */
  readonly client: string
}

export interface StoredObject {
  readonly key: string
  readonly bytes: number
  /** MD5 in hex, as the store tells it for an object that was put in one piece. */
  readonly md5: string
}

export interface Store {
  createBucket(): Promise<void>
  /** Resolves with the MD5 that the store has computed, once it has all of the object. */
  put(key: string, body: Uint8Array): Promise<string>
  list(prefix?: string): Promise<StoredObject[]>
  read(key: string): Promise<Uint8Array>
  close(): void
}

const REGION = 'us-east-1'
/** Of the longest request that the experiment makes. */
const SOCKETS = 100

export function openStore({ endpoint, bucket: Bucket, client, ...credentials }: StoreAccess): Store {
  const { S3Client, ...commands } = createRequire(import.meta.url)(client) as S3Package
  const s3 = new S3Client({
    endpoint,
    region: REGION,
    forcePathStyle: true, // the bucket as a part of the path: 127.0.0.1 has no subdomains
    credentials,
    requestHandler: { httpAgent: { maxSockets: SOCKETS, keepAlive: true } },
  })
  return {
    async createBucket() {
      await s3.send(new commands.CreateBucketCommand({ Bucket }))
    },
    async put(Key, Body) {
      return unquote((await s3.send(new commands.PutObjectCommand({ Bucket, Key, Body }))).ETag)
    },
    async list(Prefix) {
      // The list of version 2 goes on with a token, which s3rver makes by DES: with OpenSSL 3 it cannot, and answers 500 from 1001 objects on.
      const found: StoredObject[] = []
      let page: Page
      do {
        const Marker = found.at(-1)?.key
        page = await s3.send(new commands.ListObjectsCommand({ Bucket, Prefix, Marker }))
        for (const { Key, Size, ETag } of page.Contents ?? [])
          found.push({ key: Key, bytes: Size, md5: unquote(ETag) })
      } while (page.IsTruncated)
      return found
    },
    async read(Key) {
      const { Body } = await s3.send(new commands.GetObjectCommand({ Bucket, Key }))
      return Body.transformToByteArray()
    },
    close: () => s3.destroy(),
  }
}

function unquote(etag: string): string {
  return etag.replaceAll('"', '')
}

/** As far as this module uses it. */
interface S3Package {
  readonly S3Client: new (config: object) => S3
  readonly CreateBucketCommand: Command<object>
  readonly PutObjectCommand: Command<{ ETag: string }>
  readonly ListObjectsCommand: Command<Page>
  readonly GetObjectCommand: Command<{ Body: { transformToByteArray(): Promise<Uint8Array> } }>
}
interface Page {
  readonly Contents?: readonly { readonly Key: string; readonly Size: number; readonly ETag: string }[]
  readonly IsTruncated?: boolean
}
type Command<Answer> = new (input: object) => { readonly answer?: Answer }
interface S3 {
  send<Answer>(command: { readonly answer?: Answer }): Promise<Answer>
  destroy(): void
}
