//! Tests of a store: the damage, failures and races that it must survive.

use super::*;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use tracing::subscriber::{Interest, with_default};
use tracing::{Event, Metadata, Subscriber, span};

/// Room for 16 KiB in each directory.
const LIMIT: u64 = 256 << 14;

/// The label of all entries.
const LABEL: &str = "a test";

fn key(name: &str) -> Key {
    Key::new("test", [name.as_bytes()])
}

/// `count` keys whose entries share a directory.
fn neighbours(count: usize) -> Vec<Key> {
    let are = |key: &Key| name_of(key).starts_with("07");
    (0..).map(|n| key(&format!("{n}"))).filter(are).take(count).collect()
}

/// The program that the tests are.
const BUILD: &str = "tests";

/// The name of an entry's file, directory and all.
fn name_of(key: &Key) -> String {
    Key::new(BUILD, [&key.0[..]]).to_string()
}

/// The name of an entry's file in its directory.
fn file_of(key: &Key) -> String {
    name_of(key).split_off(2)
}

/// A store in a directory of its own.
fn store() -> (TempDir, Disk) {
    let place = TempDir::new().expect("a temporary directory");
    let disk = Disk::open(&place.path().join("cache"), LIMIT, BUILD).expect("it is private");
    (place, disk)
}

/// All files in a store.
fn files(disk: &Disk) -> Vec<PathBuf> {
    let entries = |path: &Path| fs::read_dir(path).expect("a directory").map(|e| e.expect("an entry").path());
    entries(disk.root()).flat_map(|shard| entries(&shard).collect::<Vec<_>>()).collect()
}

/// Counts warnings.
#[derive(Clone, Default)]
struct Warnings(Arc<Mutex<usize>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }

    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        Interest::sometimes()
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, _: &Event<'_>) {
        *self.0.lock().expect("not poisoned") += 1;
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

/// The number of warnings that `f` gives.
fn warnings(f: impl FnOnce()) -> usize {
    let told = Warnings::default();
    with_default(told.clone(), f);
    *told.0.lock().expect("not poisoned")
}

#[test]
fn parts_of_keys_do_not_run_into_each_other() {
    let of = |kind, parts: &[&[u8]]| Key::new(kind, parts.iter().copied());
    let keys = [of("a", &[b"bc"]), of("a", &[b"b", b"c"]), of("ab", &[b"c"]), of("a", &[b"bc", b""])];
    assert!((1..keys.len()).all(|at| !keys[..at].contains(&keys[at])));
    assert_eq!(keys[0], of("a", &[b"bc"]));
    assert_eq!(keys[0].to_string().len(), 64);
}

#[test]
fn gives_back_what_was_put() {
    let (_place, disk) = store();
    assert_eq!(disk.get(&key("a")), None);
    for bytes in [&b"some code"[..], b""] {
        disk.put(&key("a"), LABEL, bytes);
        assert_eq!(disk.get(&key("a")).as_deref(), Some(bytes));
        assert_eq!(disk.get(&key("b")), None);
    }
    let again = Disk::open(disk.root(), LIMIT, BUILD).expect("it is private");
    assert_eq!(again.get(&key("a")).as_deref(), Some(&b""[..]));
    assert_eq!(files(&disk).len(), 1, "nothing unfinished is left");
}

#[test]
fn a_byte_damaged_anywhere_is_seen_and_said_once() {
    let (_place, disk) = store();
    let told = warnings(|| {
        disk.put(&key("a"), LABEL, b"some code");
        let path = files(&disk).remove(0);
        let whole = fs::read(&path).expect("it is there");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(&path, damaged).expect("it is ours");
            assert_eq!(disk.get(&key("a")), None, "byte {at}");
        }
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("it is ours");
            assert_eq!(disk.get(&key("a")), None, "{length} bytes");
        }
        fs::write(&path, [&whole[..], b"x"].concat()).expect("it is ours");
        assert_eq!(disk.get(&key("a")), None, "a byte more");
        disk.put(&key("a"), LABEL, b"some code");
        assert_eq!(disk.get(&key("a")).as_deref(), Some(&b"some code"[..]));
    });
    assert_eq!(told, 1);
}

#[test]
fn another_build_finds_nothing() {
    let (_place, disk) = store();
    disk.put(&key("a"), LABEL, b"some code");
    let other = Disk::open(disk.root(), LIMIT, "another build").expect("it is private");
    assert_eq!(other.get(&key("a")), None);
    other.put(&key("a"), LABEL, b"other code");
    assert_eq!(disk.get(&key("a")).as_deref(), Some(&b"some code"[..]));
}

#[test]
fn an_entry_under_another_name_is_not_used() {
    let (_place, disk) = store();
    let [a, b] = neighbours(2).try_into().expect("two");
    disk.put(&a, LABEL, b"a's");
    let path = files(&disk).remove(0);
    fs::copy(&path, path.with_file_name(file_of(&b))).expect("it is ours");
    assert_eq!(warnings(|| assert_eq!(disk.get(&b), None)), 1);
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let (_place, disk) = store();
    let keys = neighbours(5);
    for (age, key) in keys[..4].iter().enumerate() {
        disk.put(key, LABEL, &[0; 2000]);
        let path = disk.root().join("07").join(file_of(key));
        let time = SystemTime::now() - Duration::from_secs(3600 * (10 - age as u64));
        fs::File::options().write(true).open(path).and_then(|file| file.set_modified(time)).expect("it is ours");
    }
    assert!(disk.get(&keys[0]).is_some(), "used now");
    disk.put(&keys[4], LABEL, &[0; 2000]);
    let kept: Vec<bool> = keys.iter().map(|key| disk.get(key).is_some()).collect();
    assert_eq!(kept, [true, false, false, true, true]);
}

#[test]
fn what_is_larger_than_its_share_is_not_kept() {
    let (_place, disk) = store();
    disk.put(&key("a"), LABEL, &[0; 1 << 14]);
    assert_eq!(disk.get(&key("a")), None);
}

#[test]
fn what_a_process_left_unfinished_is_removed_in_time() {
    let (_place, disk) = store();
    let [a, b] = neighbours(2).try_into().expect("two");
    disk.put(&a, LABEL, b"a's");
    let old = files(&disk).remove(0).with_file_name("1-2-3.new");
    fs::write(&old, b"half of").expect("it is ours");
    disk.put(&a, LABEL, b"a's");
    assert!(old.exists(), "it may be in the making");
    let time = SystemTime::now() - Duration::from_secs(7200);
    fs::File::options().write(true).open(&old).and_then(|file| file.set_modified(time)).expect("it is ours");
    disk.put(&b, LABEL, b"b's");
    assert!(!old.exists());
    assert_eq!(disk.get(&a).as_deref(), Some(&b"a's"[..]));
}

#[test]
fn a_full_disk_is_said_once_and_leaves_nothing() {
    let (_place, mut disk) = store();
    disk.fail_with(|path, bytes| {
        fs::write(path, &bytes[..bytes.len() / 2])?;
        Err(io::ErrorKind::StorageFull.into())
    });
    let told = warnings(|| (0..5).for_each(|n| disk.put(&key(&format!("{n}")), LABEL, b"some code")));
    assert_eq!(told, 1);
    assert!(files(&disk).is_empty());
    assert_eq!(disk.get(&key("0")), None);
}

#[test]
fn threads_and_stores_share_a_directory() {
    let (_place, disk) = store();
    let other = Disk::open(disk.root(), LIMIT, BUILD).expect("it is private");
    let bytes = |n: usize| vec![n as u8; 100 * n];
    std::thread::scope(|scope| {
        for store in [&disk, &disk, &other, &other] {
            scope.spawn(move || {
                for n in (0..40).chain(0..40) {
                    let key = key(&format!("{n}"));
                    assert!(store.get(&key).is_none_or(|found| found == bytes(n)));
                    store.put(&key, LABEL, &bytes(n));
                }
            });
        }
    });
    let there = (0..40).filter(|&n| disk.get(&key(&format!("{n}"))) == Some(bytes(n))).count();
    assert_eq!(there, 40);
}

#[cfg(unix)]
mod permissions {
    use super::*;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    }

    #[test]
    fn a_directory_is_made_for_its_owner_alone() {
        let place = TempDir::new().expect("a temporary directory");
        let path = place.path().join("parents").join("cache");
        let disk = Disk::open(&path, LIMIT, BUILD).expect("it is private");
        assert_eq!(disk.root().metadata().expect("it is there").mode() & 0o777, 0o700);
    }

    #[test]
    fn a_directory_open_to_others_is_refused() {
        let place = TempDir::new().expect("a temporary directory");
        for mode in [0o770, 0o701, 0o755, 0o777] {
            set_mode(place.path(), mode);
            let refused = Disk::open(place.path(), LIMIT, BUILD).expect_err("others have access");
            assert!(matches!(refused, Untrusted::Mode { mode: found, .. } if found == mode), "{refused}");
        }
        set_mode(place.path(), 0o700);
        Disk::open(place.path(), LIMIT, BUILD).expect("it is private");
    }

    #[test]
    fn a_directory_of_another_user_is_refused() {
        let place = TempDir::new().expect("a temporary directory");
        // The superuser can give a directory away; everybody else finds one that is the superuser's.
        let given = chown(place.path(), Some(12345), None).is_ok();
        let path = if given { place.path() } else { Path::new("/") };
        let refused = Disk::open(path, LIMIT, BUILD).expect_err("it is another's");
        assert!(matches!(refused, Untrusted::Owner { .. }), "{refused}");
    }

    #[test]
    fn a_file_in_the_way_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let refused = Disk::open(file.path(), LIMIT, BUILD).expect_err("it is no directory");
        assert!(matches!(refused, Untrusted::NoDirectory(_)), "{refused}");
        Disk::open(&file.path().join("below"), LIMIT, BUILD).expect_err("nothing is below a file");
    }

    #[test]
    fn links_and_pipes_in_place_of_entries_are_not_read() {
        let (_place, disk) = store();
        let [a, b] = neighbours(2).try_into().expect("two");
        disk.put(&a, LABEL, b"a's");
        let path = files(&disk).remove(0);
        let elsewhere = disk.root().join("elsewhere");
        fs::rename(&path, &elsewhere).expect("it is ours");
        symlink(&elsewhere, &path).expect("it is ours");
        let pipe = path.with_file_name(file_of(&b));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success());
        let told = warnings(|| {
            assert_eq!(disk.get(&a), None);
            assert!(!made || disk.get(&b).is_none());
        });
        assert_eq!(told, 1);
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_can_be_read() {
        let (_place, disk) = store();
        let [a, b] = neighbours(2).try_into().expect("two");
        disk.put(&a, LABEL, b"a's");
        let shard = disk.root().join("07");
        set_mode(&shard, 0o500);
        let told = warnings(|| {
            disk.put(&b, LABEL, b"b's");
            disk.put(&b, LABEL, b"b's");
            assert_eq!(disk.get(&a).as_deref(), Some(&b"a's"[..]));
        });
        // Permissions do not stop the superuser.
        assert_eq!(told, usize::from(disk.get(&b).is_none()));
        set_mode(&shard, 0o700);
    }
}

#[test]
fn an_artifact_comes_back_whole_or_not_at_all() {
    let entry = |label: &str, bytes: &[u8]| Entry { label: label.to_owned(), bytes: bytes.to_vec() };
    let entries = vec![(key("a"), entry("machine code", b"some code")), (key("b"), entry("", b""))];
    let artifact = Artifact { build: BUILD.to_owned(), entries };
    let file = artifact.encode();
    let digest = blake3::hash(&file[..file.len() - 32]).to_string();
    assert_eq!(Artifact::decode(&file), Ok((artifact, digest)));
    for at in 0..file.len() {
        let mut damaged = file.clone();
        damaged[at] ^= 0x10;
        assert!(Artifact::decode(&damaged).is_err(), "byte {at}");
        assert!(Artifact::decode(&file[..at]).is_err(), "{at} bytes");
    }
    let empty = Artifact { build: String::new(), entries: Vec::new() };
    assert_eq!(Artifact::decode(&empty.encode()).map(|(artifact, _)| artifact), Ok(empty));
}

#[test]
fn an_artifact_with_a_right_digest_and_wrong_lengths_is_refused() {
    let signed = |body: &[u8]| [body, blake3::hash(body).as_bytes()].concat();
    let empty = Artifact { build: String::new(), entries: Vec::new() }.encode();
    let body = &empty[..empty.len() - 32];
    assert!(Artifact::decode(&signed(body)).is_ok());
    let long = [&body[..8], &u64::MAX.to_le_bytes()].concat();
    let cut = [body, &entry::encode(&key("a"), LABEL, b"some code")[..40]].concat();
    let mut huge = [body, &entry::encode(&key("a"), LABEL, b"some code")].concat();
    huge[body.len() + 40..body.len() + 56].fill(0xff);
    for wrong in [&body[..8], &body[..12], &long, &cut, &huge] {
        assert!(Artifact::decode(&signed(wrong)).is_err(), "{wrong:?}");
    }
}

#[test]
fn files_are_listed_with_what_is_wrong_and_cleared() {
    let (_place, disk) = store();
    let keys = [key("whole"), key("damaged")];
    keys.iter().for_each(|key| disk.put(key, LABEL, b"bytes"));
    let path = |name: &str| disk.root().join(&name[..2]).join(&name[2..]);
    let names = keys.map(|key| name_of(&key));
    let mut bytes = fs::read(path(&names[1])).expect("it is there");
    *bytes.last_mut().expect("it has bytes") ^= 1;
    fs::write(path(&names[1]), bytes).expect("it is written");
    let unfinished = path(&names[0]).with_file_name("12-3-4.new");
    let strange = disk.root().join("notes.txt");
    for path in [&unfinished, &strange] {
        fs::write(path, "text").expect("it is written");
    }
    let mut listed: Vec<_> =
        disk.list().expect("it can be read").into_iter().map(|file| (file.name, file.label)).collect();
    listed.sort();
    let mut expected = vec![
        (names[0].clone(), Ok(LABEL.to_owned())),
        (names[1].clone(), Err("wrong checksum".to_owned())),
        (format!("{}12-3-4.new", &names[0][..2]), Err("unfinished".to_owned())),
    ];
    expected.sort();
    assert_eq!(listed, expected);
    assert_eq!(disk.clear().expect("they can be removed"), 3);
    assert!(disk.list().expect("it can be read").is_empty() && strange.exists());
}
