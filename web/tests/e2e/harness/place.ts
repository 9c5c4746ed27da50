/** A machine of its own for a test: a home, a data directory, projects. Owns the files and knows which processes are its own. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const repository = resolve(import.meta.dirname, '../../../..');
export const target = process.env['CARGO_TARGET_DIR'] ?? join(repository, 'target');
export const liminal = process.env['LIMINAL_PROGRAM'] ?? join(target, 'debug/liminal');
export const fakeAgent = join(target, 'debug/fake-agent');
export const scriptedModel = join(target, 'debug/scripted-model');

export class Place {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'liminal-e2e-')));
  readonly home = this.directory('home');
  readonly data = join(this.root, 'data');
  private isOnSmallDisk = false;

  directory(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** A directory to work in, with git, as agents expect it. */
  project(name = 'project'): string {
    const path = this.directory(name);
    execFileSync('git', ['init', '--quiet', path]);
    return path;
  }

  write(path: string, text: string): string {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Everything that was started with this home: the server, its agents, and what they started. */
  processes(): { pid: number; command: string }[] {
    const mark = `HOME=${this.home}`;
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
      const environment = ofProcess(pid, 'environ');
      return environment?.split('\0').includes(mark) ? [{ pid: Number(pid), command: (ofProcess(pid, 'cmdline') ?? '').replaceAll('\0', ' ') }] : [];
    });
  }

  /** Puts the data directory on a small disk of its own, which only root may. */
  mountSmallDisk(mebibytes: number): void {
    mkdirSync(this.data);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0700`, 'tmpfs', this.data]);
    this.isOnSmallDisk = true;
  }

  remove(): void {
    if (this.isOnSmallDisk) execFileSync('umount', ['--lazy', this.data]);
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** Nothing, if the process went away meanwhile or is another user's. */
function ofProcess(pid: string, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
