import { ask, type ShellFinding } from '../rules/command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { isDynamic, type Word } from '../expansion/word.ts';
import { toSet } from '../../word-list.ts';

const SQL = toSet(
  'psql pgcli mysql mariadb mycli sqlite3 sqlite litecli duckdb sqlcmd sqlplus clickhouse clickhouse-client cockroach usql sqlcl isql snowsql bq athenacli trino presto beeline hive impala-shell cqlsh ysqlsh vsql libsql turso wrangler supabase',
);
const DOCUMENTS = toSet('mongosh mongo');
const KEYS = toSet('redis-cli valkey-cli keydb-cli');
/** Statements that remove rows, columns or tables. Comments between words are removed before. */
const DESTROYS_SQL =
  /\b(?:drop\s+(?:database|schema|table|view|materialized|index|column|user|role|owned|extension|tablespace|keyspace|collection|constraint|partition|type|function|procedure|trigger|sequence|if)|truncate\b|alter\s+table\s+[^;]*\bdrop\b|delete\s+from\s+(?![^;]*\bwhere\b)|update\s+[^;]*?\bset\b(?![^;]*\bwhere\b)|delete\s+from\s+[^;]*\bwhere\s+(?:1\s*=\s*1|true|'?1'?\s*$)|replace\s+into\s+sqlite_master|pragma\s+writable_schema|vacuum\s+into|reassign\s+owned|detach\s+partition|purge\b|pg_terminate_backend|lo_unlink|undrop\b|reset\s+master|\bfrom\s+program\b|\bto\s+program\b|do\s+\$)/i;
const DESTROYS_DOCUMENTS =
  /\bdropDatabase\b|\.drop(?:Index|Indexes|User|AllUsers|Role|Collection|SearchIndex)?\s*\(|\.remove\s*\(|\.delete(?:Many|One)\s*\(|\.findOneAndDelete\s*\(|\bdropAllUsersFromDatabase\b|\.renameCollection\s*\(|shutdownServer|\[\s*['"]drop|\b(?:dropDatabase|drop|delete)\s*:|updateMany\s*\(\s*\{\s*\}/;
const DESTROYS_KEYS =
  /(?:^|[\s"';|(])(?:flushall|flushdb|del|unlink|getdel|shutdown|swapdb|debug|config\s+(?:set|rewrite|resetstat)|replicaof|slaveof|migrate|restore|script\s+(?:flush|kill)|function\s+(?:flush|delete)|cluster\s+(?:reset|flushslots|forget|failover)|acl\s+(?:deluser|setuser)|eval|evalsha|rename|expire|pexpire|xtrim|ltrim|hdel|srem|zrem\w*|spop|lpop|rpop|json\.del|ft\.dropindex)(?=$|[\s"');])/i;

/** Tools that drop, empty or overwrite a database by their words. */
const TOOLS: Readonly<Record<string, RegExp>> = {
  dropdb: /^/,
  dropuser: /^/,
  mysqladmin: /\b(?:drop|shutdown|kill|flush)\b/,
  'mariadb-admin': /\b(?:drop|shutdown|kill|flush)\b/,
  pg_restore: /(?:^|\s)(?:-\w*c\w*|--clean|--create|-C)(?=\s|$)/,
  mongorestore: /--drop\b/,
  mongoimport: /--drop\b|--mode[= ]delete/,
  wp: /\bdb\s+(?:reset|drop|clean)\b/,
  drush: /\bsql[-:](?:drop|cli|query)\b/,
  'cypher-shell': /\b(?:delete|drop|remove)\b/i,
  rabbitmqadmin: /\b(?:purge|delete)\b/,
  nats: /\b(?:rm|purge)\b/,
  dotnet: /\bef\s+database\s+drop\b/,
  atlas: /\bschema\s+clean\b/,
  sqitch: /\brevert\b/,
  zfs: /\b(?:destroy|rollback)\b/,
  zpool: /\b(?:destroy|labelclear)\b/,
  lvremove: /^/,
  vgremove: /^/,
  btrfs: /\bsubvolume\s+delete\b/,
  tinker: /\b(?:truncate|delete|drop)\b/i,
  pg_resetwal: /^/,
  initdb: /^/,
  pg_dropcluster: /^/,
  'redis-server': /--(?:flush|appendonly)/,
  rails:
    /\bdb:(?:drop|reset|purge|truncate_all|schema:load|migrate:reset|seed:replant|setup|structure:load|system:change)\b/,
  rake: /\bdb:(?:drop|reset|purge|truncate_all|schema:load|migrate:reset|seed:replant|setup|structure:load)\b/,
  prisma: /\bmigrate\s+reset\b|\bdb\s+push\b.*(?:--force-reset|--accept-data-loss)|\bdb\s+execute\b/,
  drizzle: /\bdrop\b|\bpush\b.*--force/,
  'drizzle-kit': /\bdrop\b|\bpush\b.*--force/,
  knex: /\bmigrate:(?:rollback|down)\b/,
  sequelize: /\bdb:(?:drop|migrate:undo\S*|seed:undo\S*)/,
  'sequelize-cli': /\bdb:(?:drop|migrate:undo\S*|seed:undo\S*)/,
  typeorm: /\bschema:drop\b|\bmigration:revert\b/,
  alembic: /\bdowngrade\b/,
  flask: /\bdb\s+downgrade\b/,
  artisan: /\btinker\b.*(?:truncate|delete|drop)|\b(?:migrate:(?:fresh|refresh|reset|rollback)|db:wipe)\b/,
  'manage.py': /\bshell\b.*(?:delete|truncate|drop)|\b(?:flush|reset_db|sqlflush|migrate\s+\S+\s+zero)\b/,
  'django-admin': /\b(?:flush|reset_db)\b/,
  mix: /\becto\.(?:drop|reset|rollback)\b/,
  diesel: /\b(?:database\s+(?:reset|drop)|migration\s+(?:revert|redo))\b/,
  sqlx: /\b(?:database\s+(?:drop|reset)|migrate\s+revert)\b/,
  flyway: /\b(?:clean|undo)\b/,
  liquibase: /\b(?:drop-?all|rollback\S*)\b/i,
  goose: /\b(?:down|down-to|reset|redo)\b/,
  dbmate: /\b(?:drop|down|rollback)\b/,
  migrate: /\b(?:down|drop|force)\b/,
  supabase: /\bdb\s+reset\b/,
  doctrine: /\b(?:schema:drop|database:drop)\b/,
  'bin/console': /\bdoctrine:(?:schema:drop|database:drop)\b/,
  console: /\bdoctrine:(?:schema:drop|database:drop)\b/,
  influx: /\bdelete\b/,
  etcdctl: /\bdel\b/,
  consul: /\bkv\s+delete\b/,
  'kafka-topics': /--delete\b/,
  'kafka-topics.sh': /--delete\b/,
  rabbitmqctl: /\b(?:reset|force_reset|delete_\w+|purge_queue)\b/,
};

/** A database client with a statement, or a tool with a command, that destroys data. */
export function judgeDatabases(given: SimpleCommand): ShellFinding | undefined {
  const command = withoutContainer(given);
  const { name, argv } = command;
  const words = argv.slice(1);
  // `php artisan`, `python manage.py`, `bundle exec rails`, `php bin/console`
  const script = words.find((word) => /(?:^|\/)(?:artisan|manage\.py|bin\/console|bin\/rails|console)$/.test(word));
  for (const tool of [name, script?.replace(/^.*\/(?!console$)/, '')]) {
    const pattern = tool !== undefined && Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
    if (pattern?.test(words.join(' ')) && !words.some((word) => /^--(?:help|version|dry-run)$/.test(word)))
      return ask(`${tool} removes or overwrites data of a database`);
  }
  const texts = toTexts(command);
  const isInclude = (text: Word): boolean => /(?:^|[\n;])\s*(?:\\i[r]?\b|\\include|source\s+\S|\.read\s)/.test(text);
  if (SQL.has(name) && texts.some(isInclude)) return ask(`the statements for ${name} are in another file`);
  if (SQL.has(name) && texts.some((text) => DESTROYS_SQL.test(withoutComments(text)))) return destroys(name);
  if (DOCUMENTS.has(name) && texts.some((text) => DESTROYS_DOCUMENTS.test(text))) return destroys(name);
  if (KEYS.has(name)) {
    const line = words.join(' ');
    if ([line, ...texts].some((text) => DESTROYS_KEYS.test(text))) return destroys(name);
  }
  if (!SQL.has(name) && !DOCUMENTS.has(name) && !KEYS.has(name)) return undefined;
  // Statements that another program prints are not known; a file was read.
  const isFile = command.redirects.some(({ operator }) => operator === '<');
  const isHidden = command.stdin !== undefined && isDynamic(command.stdin) && command.stdin.length < 3 && !isFile;
  return isHidden ? ask(`the statements for ${name} are only known at run time`) : undefined;
}

const destroys = (name: string): ShellFinding => ask(`a statement for ${name} removes data of a database`);

/** All texts that can hold a statement: arguments, inline code, standard input. */
function toTexts({ argv, code, stdin, redirects }: SimpleCommand): Word[] {
  return [
    ...argv.slice(1),
    ...code.map(({ text }) => text),
    ...(stdin === undefined ? [] : [stdin]),
    ...redirects.filter(({ operator }) => operator === '<<<').map(({ target }) => target),
  ];
}

/** SQL reads a comment as a space. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|--[^\n]*/g, ' ');
}

/** The command that runs in a container: `docker exec db psql`, `docker compose exec db psql`, `kubectl exec pod -- psql`. */
function withoutContainer(command: SimpleCommand): SimpleCommand {
  if (!/^(?:docker|podman|docker-compose|kubectl|nerdctl)$/.test(command.name)) return command;
  const at = command.argv.findIndex(
    (word, index) =>
      index > 1 && (SQL.has(word) || DOCUMENTS.has(word) || KEYS.has(word) || Object.hasOwn(TOOLS, word)),
  );
  return at < 0 ? command : { ...command, name: command.argv[at]!, argv: command.argv.slice(at) };
}
