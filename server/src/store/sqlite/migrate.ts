import { StoreOpenError } from "../errors.js";
import type { Connection } from "./connection.js";
import { applicationId } from "./database-file.js";
import { schema as newest, migrations as released } from "./schema.js";

/** The SQL that creates the newest schema, and the SQL from each version to the next. */
interface Schema {
  readonly schema: string;
  readonly migrations: readonly string[];
}

const own: Schema = { schema: newest, migrations: released };

/**
 * The schema version of a database; 0 if it is empty. Changes nothing.
 *
 * @throws StoreOpenError if the database belongs to another program or has a newer version.
 */
export function schemaVersion(db: Connection, path: string, { migrations } = own): number {
  const version = Number(db.value("PRAGMA user_version"));
  const empty = Number(db.value("SELECT count(*) FROM sqlite_schema")) === 0;
  if (!empty && Number(db.value("PRAGMA application_id")) !== applicationId) {
    throw new StoreOpenError(`${path} holds the database of another program. Choose another file.`);
  }
  const known = migrations.length + 1;
  if (version > known) {
    throw new StoreOpenError(
      `${path} was written by a newer version of this service (schema ${version}, known up to ${known}). Upgrade, or choose another file.`,
    );
  }
  return version;
}

/** Creates or migrates the schema in one transaction. */
export function migrate(db: Connection, path: string, { schema, migrations } = own): void {
  const newest = migrations.length + 1;
  const known = { schema, migrations };
  if (schemaVersion(db, path, known) === newest) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = schemaVersion(db, path, known); // another process may have migrated it
    for (const step of version === 0 ? [schema] : migrations.slice(version - 1)) db.exec(step);
    db.exec(`PRAGMA application_id = ${applicationId}`);
    db.exec(`PRAGMA user_version = ${newest}`);
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction) db.exec("ROLLBACK");
    throw error;
  }
}
