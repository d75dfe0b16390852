//! Whether two descriptions are of one machine, so that what is known of a pair of one can be said of the other's.

use super::{DeviceInfo, Machine};
use crate::doctor::is_masked;

impl Machine {
    /// Why what this one says of a device, by its ordinal, says nothing of the `other`'s; `None` if nothing shows that it does not.
    /// A UUID that was masked shows nothing.
    pub(crate) fn differs_from(&self, other: &Self) -> Option<String> {
        let kind = |machine: &Self| if machine.simulated { "simulated" } else { "real" };
        if self.simulated != other.simulated {
            return Some(format!("its devices are {} and the other's {}", kind(self), kind(other)));
        }
        if self.simulated && self.simulated_config != other.simulated_config {
            let config = |machine: &Self| machine.simulated_config.clone().unwrap_or_default();
            return Some(format!("it is '{}' and the other '{}'", config(self), config(other)));
        }
        if self.devices.len() != other.devices.len() {
            return Some(format!(
                "of devices it has {} and the other {}",
                self.devices.len(),
                other.devices.len()
            ));
        }
        let (one, another) =
            self.devices.iter().zip(&other.devices).find(|(one, another)| !is_same(one, another))?;
        Some(format!("its device {} is {} and the other's {}", one.ordinal, named(one), named(another)))
    }
}

fn is_same(one: &DeviceInfo, other: &DeviceInfo) -> bool {
    let hidden = is_masked(&one.uuid) || is_masked(&other.uuid);
    one.bus_id.eq_ignore_ascii_case(&other.bus_id)
        && one.name == other.name
        && (hidden || one.uuid == other.uuid)
}

fn named(device: &DeviceInfo) -> String {
    format!("{} at {} ({})", device.name, device.bus_id, device.uuid)
}

#[cfg(test)]
mod tests {
    use crate::output::fixtures::machine;

    #[test]
    fn another_device_behind_an_ordinal_is_another_machine() {
        let ours = machine(2, 2, None);
        assert_eq!(ours.differs_from(&ours.clone()), None);
        let difference = |change: &dyn Fn(&mut super::Machine)| {
            let mut theirs = ours.clone();
            change(&mut theirs);
            theirs.differs_from(&ours).unwrap_or_default()
        };
        let text = difference(&|machine| machine.simulated = true);
        assert_eq!(text, "its devices are simulated and the other's real");
        assert_eq!(difference(&|machine| machine.devices.truncate(1)), "of devices it has 1 and the other 2");
        assert!(
            difference(&|machine| machine.devices[1].name.push('!'))
                .starts_with("its device 1 is NVIDIA H200! at 0000:1C")
        );
        assert!(
            difference(&|machine| machine.devices[0].bus_id.replace_range(..4, "0001"))
                .contains("0001:1B:00.0")
        );
        let other = "GPU-ba793fbf-0ad7-3ef2-2606-91ae096064e1";
        assert!(difference(&|machine| machine.devices[0].uuid = other.to_owned()).contains(other));
        // Nothing shows that these are others.
        let masked = "GPU-00000000-0000-0000-0000-000000000000";
        assert_eq!(difference(&|machine| machine.devices[0].uuid = masked.to_owned()), "");
        assert_eq!(difference(&|machine| machine.devices[0].bus_id.make_ascii_lowercase()), "");
        assert_eq!(difference(&|machine| machine.driver_version = None), "");
    }

    #[test]
    fn simulated_machines_are_told_apart_by_what_they_were_asked_to_be() {
        let mut one = machine(2, 2, None);
        one.simulated = true;
        let mut other = one.clone();
        one.simulated_config = Some("devices=2".to_owned());
        other.simulated_config = Some("devices=2 drop=0>1".to_owned());
        let text = one.differs_from(&other).unwrap();
        assert_eq!(text, "it is 'devices=2' and the other 'devices=2 drop=0>1'");
    }
}
