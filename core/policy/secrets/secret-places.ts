import { foldPath } from '../names/fold-path.ts';
import { isCredentialFile } from './credential-files.ts';
import { toList } from '../word-list.ts';

/** Folders of a home of which every file is, or can show, a secret. */
export const SECRET_HOME_FOLDERS: readonly string[] = toList(
  '.ssh .gnupg .aws .azure .kube .password-store .config/gcloud .config/gh .config/glab-cli .config/op .config/rclone .config/sops .config/hub .config/doctl .config/heroku .config/netlify .config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .config/Bitwarden .local/share/keyrings .local/share/kwalletd .mozilla .thunderbird .1password .vault .pki .terraform.d .oci .bluemix .docker/machine .docker/contexts .cargo/credentials Library/Keychains Library/Cookies .minikube .fly .railway .cloudflared .wrangler .config/containers .android/adbkey .gradle/daemon .electrum .bitcoin .ethereum .solana .config/solana .claude.json .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json',
);
/** Files of a home that show commands, and so what was typed in them. */
const HISTORIES =
  /^\.(?:bash|zsh|sh|fish|psql|mysql|rediscli|sqlite|python|node_repl|irb|lesshst|dbshell|mongosh?)[\w/-]*_?history$|^\.local\/share\/fish\/fish_history$|^\.config\/fish\/fish_variables$/;
/** Folders and files of the system. */
const SYSTEM =
  /^(?:\/private)?\/etc\/(?:shadow|gshadow|sudoers|security\/opasswd|ssh\/ssh_host_\w+_key|ssl\/private|krb5\.keytab|wireguard|openvpn|networkmanager\/system-connections)(?:-|$|\/|\.)|^\/proc\/[^/]+\/(?:environ|mem|maps|fd|auxv|cmdline|task\/[^/]+\/environ)(?:$|\/)|^(?:\/var)?\/run\/(?:secrets|credentials)(?:$|\/)|^\/dev\/(?:mem|kmem|port)$|^\/var\/lib\/(?:docker|kubelet|sss|postgresql|mysql)(?:$|\/)|^\/root\/\.|^\/boot\/grub\d?\/grub\.cfg$/;

/** A user's own places, for {@link isSecretPlace}. */
export interface OwnPlaces {
  /** The home folder, absolute. */
  userHome: string;
  /** Folders of Klaus's own state, absolute. */
  state: readonly string[];
}

/**
 * True for a place outside of a workspace that holds secrets: files of credentials, folders of them, Klaus's state,
 * environments of processes, passwords of the system. For the loop, the guard, and folders that a session may read.
 *
 * @param path Absolute, of a file or a folder.
 */
export function isSecretPlace(path: string, { userHome, state }: OwnPlaces): boolean {
  const folded = foldPath(path);
  const isIn = (folder: string): boolean => folded === folder || folded.startsWith(`${folder}/`);
  if (state.some((folder) => isIn(foldPath(folder)))) return true;
  const home = foldPath(userHome);
  if (SECRET_HOME_FOLDERS.some((folder) => isIn(`${home}/${foldPath(folder)}`))) return true;
  if (folded.startsWith(`${home}/`) && HISTORIES.test(folded.slice(home.length + 1))) return true;
  if (SYSTEM.test(folded) && !(folded === home || folded.startsWith(`${home}/`))) return true;
  return isCredentialFile(path);
}
