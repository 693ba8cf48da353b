/**
 * How much room the disk of the event store has, by its own word: the statistics of a node. The store's
 * client has no call for them.
 */
import { Client, Metadata, type ChannelCredentials } from '@grpc/grpc-js';
import { directWay } from './store-url.js';
import { MessageReader } from './wire.js';

export interface DiskRoom {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

const STATS_CALL = '/event_store.client.monitoring.Monitoring/Stats';
/** One message is read; the field says after how many milliseconds the next one is wanted: an hour. */
const ASK = Buffer.from([0x20, 0x80, 0xdd, 0xdb, 0x01]);
const ANSWER_WITHIN_MS = 3_000;

// Tags of the fields that are read: a map is a list of messages with a name and a value.
const ENTRY = 0x0a;
const [NAME, VALUE] = [0x0a, 0x12];
/** As the store names what it tells of the drive that its log is on. */
const DRIVE = /^sys-drive-.*-(availableBytes|totalBytes)$/;

/** What a node's statistics say of the disk that its log is on; undefined where they say nothing of it. */
function readDiskRoom(bytes: Buffer): DiskRoom | undefined {
  const found = new Map<string, number>();
  const reader = new MessageReader(bytes);
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag !== ENTRY) {
      reader.skip(tag);
      continue;
    }
    const end = reader.enter();
    let [name, value] = ['', ''];
    for (let field = reader.tag(end); field !== 0; field = reader.tag(end))
      if (field === NAME) name = reader.text();
      else if (field === VALUE) value = reader.text();
      else reader.skip(field);
    const figure = DRIVE.exec(name)?.[1];
    if (figure !== undefined && /^\d+$/.test(value)) found.set(figure, Number(value));
  }
  const [freeBytes, totalBytes] = [found.get('availableBytes'), found.get('totalBytes')];
  return freeBytes === undefined || totalBytes === undefined ? undefined : { freeBytes, totalBytes };
}

/**
 * Asks one node, `host:port`, as `user:password` where it asks who one is. Undefined where it does not answer
 * within three seconds, may not tell us, or says nothing of its disk.
 */
export function diskRoomAt(
  address: string,
  credentials: ChannelCredentials,
  user: string | undefined,
): Promise<DiskRoom | undefined> {
  const metadata = new Metadata();
  if (user !== undefined) metadata.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`);
  const client = new Client(address, credentials, directWay());
  return new Promise<DiskRoom | undefined>((resolve) => {
    const call = client.makeServerStreamRequest(
      STATS_CALL,
      (bytes: Buffer) => bytes,
      readDiskRoom,
      ASK,
      metadata,
      { deadline: Date.now() + ANSWER_WITHIN_MS },
    );
    call.once('data', (room: DiskRoom | undefined) => {
      resolve(room);
      call.cancel();
    });
    call.on('error', () => resolve(undefined));
    call.on('end', () => resolve(undefined));
  }).finally(() => client.close());
}
