/** Makes sessions as old as a test needs them: as if their owners had last signed in so long ago. */
import pg from 'pg';

/** All sessions of a user; the default is past the ten minutes for which a sign-in is a proof. */
export async function ageSignIns(
  databaseUrl: string | undefined,
  userId: string,
  minutes = 11,
): Promise<void> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    await db.query(
      `update edge.sessions set signed_in_at = now() - make_interval(mins => $2) where user_id = $1`,
      [userId, minutes],
    );
  } finally {
    await db.end();
  }
}
